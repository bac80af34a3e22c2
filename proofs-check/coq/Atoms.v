(* Atoms: what a residual coordinate is made of. At token p, atom 0 is the number 1, atom 1 is 1/(p+1), atom 2 is 1 at position 0 and 0
   elsewhere, and atom 3+4i+x is component x of entry i of a list of places: the code of position p - b, for a shift b, or a direction of
   the own token. A shift is a s + b in the stride s of the loop (s is 2^l after l loops that double). *)
Require Import Reals Lra Lia ZArith QArith Qreals List Bool Arith ZifyNat. From Logdepth Require Import Codes Rows Model FirstFlag.
  Import ListNotations.
Ltac Zify.zify_post_hook ::= Z.to_euclidean_division_equations.
Open Scope R_scope.

(* codes that a file writes (circle, two-circle) or computes (phi, the direction of (p, L)) *)
Inductive coding := Written (e : encoding) | Phi (L : Q).
Definition code (k : coding) (x p : nat) : R :=
  match k with
  | Written e => kc e x p
  | Phi L => match x with 0%nat => ph0 (Q2R L) p | 1%nat => ph1 (Q2R L) p | 2%nat => 1 | _ => 0 end
  end.
Definition codingok (k : coding) := match k with Written _ => true | Phi L => negb (Qle_bool L 0) end.
Lemma unit_c t : cx t * cx t + cy t * cy t = 1.
Proof. exact (kappa_unit t). Qed.
Lemma unit_code k p : codingok k = true -> code k 0 p * code k 0 p + code k 1 p * code k 1 p = 1.
Proof. intro H. destruct k as [[| |b]|L]; [apply unit_c | apply unit_c | | apply ph_unit, pos_q, H].
  cbn [code kc]. rewrite <- (unit_c (2 * INR p + INR b)). ring. Qed.
Lemma unit_code2 k p : code k 2 p * code k 2 p + code k 3 p * code k 3 p = 1.
Proof. destruct k as [[| |b]|L]; [cbn [code kc]; ring | apply unit_c | cbn [code kc]; ring | cbn [code]; ring]. Qed.

Definition shift := (Z * Z)%type.
Definition val (s : nat) (b : shift) : nat := Z.to_nat (fst b * Z.of_nat s + snd b).
Definition good (b : shift) := (Z.leb 0 (fst b) && Z.leb 0 (fst b + snd b))%bool.      (* a count for every stride s >= 1 *)
Definition plus (a b : shift) : shift := ((fst a + fst b)%Z, (snd a + snd b)%Z).
Definition times (n : Z) (b : shift) : shift := ((n * fst b)%Z, (n * snd b)%Z).
Definition same (a b : shift) := (Z.eqb (fst a) (fst b) && Z.eqb (snd a) (snd b))%bool.
Lemma same_ok a b : same a b = true -> a = b.
Proof. destruct a, b. unfold same. cbn [fst snd]. intro H. apply andb_true_iff in H as [A B]. apply Z.eqb_eq in A, B. congruence. Qed.
Lemma good_pos s b : (1 <= s)%nat -> good b = true -> (0 <= fst b * Z.of_nat s + snd b)%Z.
Proof. unfold good. intros S H. apply andb_true_iff in H as [A B]. apply Z.leb_le in A, B. nia. Qed.
Lemma val_plus s a b : (1 <= s)%nat -> good a = true -> good b = true -> val s (plus a b) = (val s a + val s b)%nat.
Proof. intros S A B. apply (good_pos s) in A, B; try assumption. unfold val, plus. cbn [fst snd]. lia. Qed.

(* what a token has beside its position: the stride of the loop, and counts of the tokens up to it *)
Record env := { strides :> nat; counts : nat -> nat -> nat (* counter, token *) }.
Definition in_loop (s : nat) : env := {| strides := s; counts := fun _ _ => 0%nat |}.
(* the position, n times the stride, the stride before the last loop if that multiplied it by n (1 before the first), 1, a count *)
Inductive number := Position | Times (n : nat) | Before (n : nat) | Once | Count (i : nat).
Definition number_at (v : number) (e : env) (p : nat) : R :=
  match v with Position => INR p | Times n => INR (n * e) | Before n => INR (Nat.max 1 (e / n))
    | Once => 1 | Count i => INR (counts e i p) end.
(* beside codes, of the own token: a direction, divided by the root of the sum of the squares by their weights; a count over p + 1; 1 at
   even positions and -1 at odd ones; the code of position (p + o) / m, rounded down *)
Inductive place := Code (b : shift) | Direct (ns : list (number * Q)) | Share (i : nat) | Parity | Rounded (o m : nat).
Definition own := Code (0%Z, 0%Z).
Definition squared (ns : list (number * Q)) (e : env) (p : nat) : R :=
  fold_right (fun x a => Q2R (snd x) * (number_at (fst x) e p * number_at (fst x) e p) + a) 0 ns.
Definition nth_number (ns : list (number * Q)) x := fst (nth x ns (Once, 0%Q)).
Definition toward ns (e : env) (p x : nat) : R := number_at (nth_number ns x) e p / sqrt (squared ns e p).
Definition component (k : coding) (e : env) (b : place) (p x : nat) : R :=
  match b with
  | Code b => code k x (p - val e b)
  | Direct ns => toward ns e p x
  | Share i => INR (counts e i p) / (INR p + 1)
  | Parity => if Nat.even p then 1 else -1
  | Rounded o m => code k x ((p + o) / m)
  end.
Definition placed (b : place) := match b with
  | Code b => good b
  | Direct ns => (forallb (fun x => Qle_bool 0 (snd x)) ns && existsb (fun x => match fst x with Once => negb (Qle_bool (snd x) 0)
    | _ => false end) ns)%bool
  | _ => true end.
Lemma squared_pos ns e p : placed (Direct ns) = true -> 0 < squared ns e p.
Proof. cbn [placed]. intro H. apply andb_true_iff in H as [A B].
  assert (N : forall l, forallb (fun x => Qle_bool 0 (snd x)) l = true -> 0 <= squared l e p).
  { induction l as [|x l IH]; intro F; [apply Rle_refl|]. cbn [forallb] in F. apply andb_true_iff in F as [F G]. apply le0 in F.
    cbn [squared fold_right]. specialize (IH G). unfold squared in IH.
    pose proof (Rmult_le_pos _ _ F (Rle_0_sqr (number_at (fst x) e p))) as P. unfold Rsqr in P. lra. }
  induction ns as [|x ns IH]; [discriminate|]. cbn [forallb existsb] in A, B. apply andb_true_iff in A as [A0 A]. apply le0 in A0.
  cbn [squared fold_right]. fold (squared ns e p). specialize (N ns A).
  pose proof (Rmult_le_pos _ _ A0 (Rle_0_sqr (number_at (fst x) e p))) as P. unfold Rsqr in P.
  apply orb_true_iff in B as [B|B]; [|specialize (IH A B); lra].
  destruct (fst x); try discriminate. apply pos_q in B. cbn [number_at]. lra. Qed.

Definition atom (k : coding) (s : env) (bs : list place) (p i : nat) : R :=
  match i with
  | 0%nat => 1
  | 1%nat => / (INR p + 1)
  | 2%nat => if Nat.eqb p 0 then 1 else 0
  | S (S (S i)) => component k s (nth (i / 4) bs own) p (i mod 4)
  end.

(* a form at token p - c over places bs, as a form at token p over places bs'; directions are not read at other tokens *)
Definition place_dec (a b : place) : {a = b} + {a <> b}.
Proof. repeat decide equality. Defined.
Definition same_place a b := if place_dec a b then true else false.
Lemma same_place_ok a b : same_place a b = true -> a = b.
Proof. unfold same_place. destruct (place_dec a b); [auto|discriminate]. Qed.
Fixpoint find (b : place) (bs : list place) (i : nat) : option nat :=
  match bs with nil => None | b' :: bs => if same_place b b' then Some i else find b bs (S i) end.
Lemma find_ok b bs : forall i j, find b bs i = Some j -> nth (j - i) bs own = b /\ (i <= j)%nat.
Proof. induction bs as [|b' bs IH]; intros i j H; [discriminate|]. cbn [find] in H. destruct (same_place b b') eqn:E.
  - assert (j = i) by congruence. subst. rewrite Nat.sub_diag. apply same_place_ok in E. subst. split; [reflexivity|lia].
  - apply IH in H as [N L]. split; [|lia]. replace (j - i)%nat with (S (j - S i)) by lia. exact N. Qed.
Definition back_by (c : shift) (b : place) : option place :=
  match b with Code b => Some (Code (plus b c)) | _ => if same c (0%Z, 0%Z) then Some b else None end.
(* the first component of a direction that is the same number: at stride 1 there may be two *)
Definition number_dec (a b : number) : {a = b} + {a <> b}.
Proof. repeat decide equality. Defined.
Fixpoint first_of (v : number) (ns : list (number * Q)) : nat :=
  match ns with nil => 0 | x :: ns => if number_dec v (fst x) then 0 else S (first_of v ns) end.
Definition twin (b : place) (x : nat) : nat :=
  match b with Direct ns => if Nat.ltb x (length ns) then first_of (nth_number ns x) ns else x | _ => x end.
Definition moved (c : shift) (bs bs' : list place) (i : nat) : option nat :=
  match i with
  | 0%nat => Some 0%nat
  | 1%nat | 2%nat => if same c (0%Z, 0%Z) then Some i else None
  | S (S (S i)) => let b := nth (i / 4) bs own in
      match back_by c b with
      | Some b' => match find b' bs' 0 with Some j => Some (3 + 4 * j + twin b (i mod 4))%nat | None => None end
      | None => None
      end
  end.
Fixpoint move (c : shift) (bs bs' : list place) (r : row) : option row :=
  match r with
  | nil => Some nil
  | (i, v) :: r => match moved c bs bs' i, move c bs bs' r with Some j, Some r => Some ((j, v) :: r) | _, _ => None end
  end.
Definition goods (bs : list place) := forallb placed bs.
Lemma goods_nth bs i : goods bs = true -> placed (nth i bs own) = true.
Proof. intro H. destruct (nth_in_or_default i bs own) as [I|E]; [|rewrite E; reflexivity]. unfold goods in H.
  rewrite forallb_forall in H. apply H, I. Qed.
Lemma val_zero s : val s (0%Z, 0%Z) = 0%nat.
Proof. reflexivity. Qed.
Lemma atom_at k s bs p i x : (x < 4)%nat -> atom k s bs p (3 + 4 * i + x) = component k s (nth i bs own) p x.
Proof. intro H. change (3 + 4 * i + x)%nat with (S (S (S (4 * i + x)))). cbn [atom].
  replace ((4 * i + x) mod 4)%nat with x by lia. replace ((4 * i + x) / 4)%nat with i by lia. reflexivity. Qed.
Lemma first_of_ok ns x : (x < length ns)%nat -> nth_number ns (first_of (nth_number ns x) ns) = nth_number ns x /\
  (first_of (nth_number ns x) ns <= x)%nat.
Proof. unfold nth_number at 2 3 4. revert x. induction ns as [|y ns IH]; intros x H; [cbn in H; lia|].
  destruct x as [|x]; cbn [nth first_of].
  - destruct (number_dec _ _) as [|C]; [split; [reflexivity|lia]|destruct (C eq_refl)].
  - destruct (number_dec _ _) as [E|]; [split; [symmetry; exact E|lia]|]. destruct (IH x) as [A B]; [cbn in H; lia|].
    split; [exact A|lia]. Qed.
(* the own code comes first *)
Lemma own_code k s bs : nth 0 bs own = own -> forall x j, (x < 4)%nat -> atom k s bs j (3 + x) = code k x j.
Proof. intros S0 x j L. pose proof (atom_at k s bs j 0 x L) as A. change (3 + 4 * 0 + x)%nat with (3 + x)%nat in A. rewrite A, S0.
  unfold own. cbn [component]. rewrite val_zero, Nat.sub_0_r. reflexivity. Qed.
Lemma first_of_in v ns : (first_of v ns < length ns)%nat -> nth_number ns (first_of v ns) = v.
Proof. unfold nth_number. induction ns as [|y ns IH]; intro H; cbn [first_of length] in *; [lia|].
  destruct (number_dec v (fst y)) as [E|]; [symmetry; exact E|]. cbn [nth]. apply IH. lia. Qed.
Lemma twin_ok k e b p x : (x < 4)%nat -> component k e b p (twin b x) = component k e b p x /\ (twin b x < 4)%nat.
Proof. intro H. destruct b as [b|ns|i| |o m]; try (split; [reflexivity|exact H]). cbn [twin component]. unfold toward.
  destruct (Nat.ltb_spec x (length ns)) as [L|]; [|split; [reflexivity|exact H]].
  destruct (first_of_ok ns x L) as [A B]. rewrite A. split; [reflexivity|lia]. Qed.
Lemma moved_ok k (s : env) c bs bs' p i j : (1 <= s)%nat -> goods bs = true -> good c = true -> moved c bs bs' i = Some j ->
  atom k s bs' p j = atom k s bs (p - val s c) i.
Proof. intros S G C H. destruct i as [|[|[|i]]]; cbn [moved] in H.
  - assert (j = 0)%nat by congruence. subst. reflexivity.
  - destruct (same c _) eqn:E; [|discriminate]. apply same_ok in E. subst. assert (j = 1)%nat by congruence. subst.
    rewrite val_zero, Nat.sub_0_r. reflexivity.
  - destruct (same c _) eqn:E; [|discriminate]. apply same_ok in E. subst. assert (j = 2)%nat by congruence. subst.
    rewrite val_zero, Nat.sub_0_r. reflexivity.
  - cbv zeta in H. set (b := nth (i / 4) bs own) in *. destruct (back_by c b) as [b'|] eqn:B; [|discriminate].
    destruct (find b' bs' 0) as [j'|] eqn:F; [|discriminate]. assert (J : j = (3 + 4 * j' + twin b (i mod 4))%nat) by congruence.
    apply find_ok in F as [N _]. rewrite Nat.sub_0_r in N.
    assert (X : (i mod 4 < 4)%nat) by (apply Nat.mod_upper_bound; lia).
    rewrite J, atom_at, N by (apply (twin_ok k s b p), X). clear J N. cbn [atom]. fold b. pose proof (goods_nth bs (i / 4) G) as GB.
      fold b in GB.
    destruct b as [b|ns|n| |o m]; cbn [back_by] in B.
    + assert (b' = Code (plus b c)) by congruence. subst b'. cbn [component twin]. rewrite val_plus by assumption. f_equal. lia.
    + destruct (same c _) eqn:E; [|discriminate]. apply same_ok in E. subst. rewrite val_zero, Nat.sub_0_r.
      assert (b' = Direct ns) by congruence. subst. apply (twin_ok k), X.
    + destruct (same c _) eqn:E; [|discriminate]. apply same_ok in E. subst. rewrite val_zero, Nat.sub_0_r.
      assert (b' = Share n) by congruence. subst. reflexivity.
    + destruct (same c _) eqn:E; [|discriminate]. apply same_ok in E. subst. rewrite val_zero, Nat.sub_0_r.
      assert (b' = Parity) by congruence. subst. reflexivity.
    + destruct (same c _) eqn:E; [|discriminate]. apply same_ok in E. subst. rewrite val_zero, Nat.sub_0_r.
      assert (b' = Rounded o m) by congruence. subst. reflexivity. Qed.
Lemma move_ok k (s : env) c bs bs' p r : (1 <= s)%nat -> goods bs = true -> good c = true -> forall r', move c bs bs' r = Some r' ->
  dot r' (atom k s bs' p) = dot r (atom k s bs (p - val s c)).
Proof. intros S G C. induction r as [|[i v] r IH]; intros r' H; cbn [move] in H; [assert (r' = nil) by congruence; subst; reflexivity|].
  destruct (moved c bs bs' i) as [j|] eqn:M; [|discriminate]. destruct (move c bs bs' r) as [t|]; [|discriminate].
    assert (r' = (j, v) :: t) by congruence. subst.
  cbn [dot]. rewrite (IH t eq_refl), (moved_ok k s c bs bs' p i j) by assumption. reflexivity. Qed.

(* places at stride 1, and at a multiple of the stride *)
Definition shift_at_one (b : shift) : shift := (0%Z, (fst b + snd b)%Z).
Definition longer_shift (n : Z) (b : shift) : shift := ((n * fst b)%Z, snd b).
Definition on_numbers (g : number -> number) (b : place) : place :=
  match b with Direct ns => Direct (map (fun x => (g (fst x), snd x)) ns) | _ => b end.
Definition at_one (b : place) : place :=
  match b with Code b => Code (shift_at_one b) | _ => on_numbers (fun v => match v with Times 1 | Before _ => Once | _ => v end) b end.
Definition longer (n : nat) (b : place) : place :=
  match b with
  | Code b => Code (longer_shift (Z.of_nat n) b)
  | _ => on_numbers (fun v => match v with Times k => Times (k * n) | Before _ => Times 1 | _ => v end) b
  end.
Definition lasting (n : nat) (b : place) :=
  match b with Direct ns => forallb (fun x => match fst x with Before k => Nat.eqb k n | _ => true end) ns | _ => true end.
Lemma val_at_one s b : val s (shift_at_one b) = val 1 b.
Proof. unfold val, shift_at_one. cbn [fst snd]. f_equal. lia. Qed.
Lemma val_longer n s b : val s (longer_shift (Z.of_nat n) b) = val (n * s) b.
Proof. unfold val, longer_shift. cbn [fst snd]. f_equal. nia. Qed.
Lemma on_numbers_ok g ns e e' p x : Forall (fun x => number_at (g (fst x)) e p = number_at (fst x) e' p) ns -> g Once = Once ->
  toward (map (fun x => (g (fst x), snd x)) ns) e p x = toward ns e' p x.
Proof. intros F O. unfold toward. f_equal.
  - unfold nth_number. replace (Once, 0%Q) with (g (fst (Once, 0%Q)), snd (Once, 0%Q)) at 1 by (cbn [fst snd]; rewrite O; reflexivity).
    rewrite (map_nth (fun x => (g (fst x), snd x))). cbn [fst]. destruct (nth_in_or_default x ns (Once, 0%Q)) as [I|E].
    + rewrite Forall_forall in F. apply F, I.
    + rewrite E. cbn [fst]. rewrite O. reflexivity.
  - apply f_equal. induction F as [|y ns Y _ IH]; [reflexivity|]. cbn [squared map fold_right fst snd]. unfold squared in IH. rewrite IH, Y.
    reflexivity. Qed.
Lemma atom_at_one k bs p i : atom k (in_loop 1) (map at_one bs) p i = atom k (in_loop 1) bs p i.
Proof. destruct i as [|[|[|i]]]; try reflexivity. cbn [atom]. change own with (at_one own) at 1. rewrite map_nth.
  destruct (nth (i / 4) bs own) as [b|ns|n| |o m]; try reflexivity; cbn [at_one component].
  - cbn [strides in_loop]. rewrite val_at_one. reflexivity.
  - apply on_numbers_ok; [|reflexivity]. apply Forall_forall. intros [v w] _. cbn [fst]. destruct v as [|[|[|n]]|n| |n]; try reflexivity.
    cbn [number_at strides in_loop]. destruct n as [|[|n]]; [reflexivity..|]. rewrite Nat.div_small by lia. reflexivity. Qed.
Lemma atom_longer k n s bs p i : (1 <= n)%nat -> (1 <= s)%nat -> forallb (lasting n) bs = true ->
  atom k (in_loop s) (map (longer n) bs) p i = atom k (in_loop (n * s)) bs p i.
Proof. intros N S L. destruct i as [|[|[|i]]]; try reflexivity. cbn [atom].
  assert (O : longer n own = own) by (unfold longer, own, longer_shift; cbn [fst snd]; do 2 f_equal; lia).
  rewrite <- O at 1. rewrite map_nth.
  destruct (nth_in_or_default (i / 4) bs own) as [I|E]; [|rewrite E, O; reflexivity].
  rewrite forallb_forall in L. specialize (L _ I). destruct (nth (i / 4) bs own) as [b|ns|m| |o m]; cbn [longer component]; try reflexivity.
  - cbn [strides in_loop]. rewrite val_longer. reflexivity.
  - apply on_numbers_ok; [|reflexivity]. cbn [lasting] in L. rewrite forallb_forall in L. apply Forall_forall. intros [v w] H.
    specialize (L _ H).
    cbn [fst] in *. destruct v as [|m|m| |m]; try reflexivity; cbn [number_at strides in_loop].
    + rewrite <- Nat.mul_assoc. reflexivity.
    + apply Nat.eqb_eq in L. subst m. rewrite (Nat.mul_comm n s), Nat.div_mul, Nat.max_r, Nat.mul_1_l by lia. reflexivity. Qed.

(* the first component of these codes rises with the position *)
Definition rising (k : coding) := match k with Written (Fine b) => Nat.leb 1 b | Phi _ => true | _ => false end.
(* the code that a head of the last token reads grows with the position, below 1 *)
Lemma rising_bound k p : codingok k = true -> rising k = true -> 0 <= code k 0 p < 1.
Proof. intros OK H. destruct k as [[| |b]|L]; try discriminate; cbn [code kc].
  - cbn [rising] in H. apply Nat.leb_le in H. unfold cx. set (t := 2 * INR p + INR b). assert (T1 : 1 <= t).
    { unfold t. pose proof (pos_INR p). assert (1 <= INR b) by (replace 1 with (INR 1) by reflexivity; apply le_INR; exact H). lra. }
    assert (P : 0 < 1 + t * t) by nra. replace (- ((1 - t * t) / (1 + t * t))) with (1 - 2 / (1 + t * t)) by (field; lra).
    assert (0 < 2 / (1 + t * t)) by (apply Rdiv_lt_0_compat; lra).
    assert (2 / (1 + t * t) <= 1) by (apply Rmult_le_reg_r with (1 + t * t); [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra;
      nra). lra.
  - apply pos_q in OK. unfold ph0. pose proof (rad_pos (Q2R L) p OK) as R. pose proof (rad_sq (Q2R L) p OK) as S. pose proof (pos_INR p).
    split.
    + apply Rmult_le_pos; [lra|]. apply Rlt_le, Rinv_0_lt_compat, R.
    + apply Rmult_lt_reg_r with (rad (Q2R L) p); [exact R|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. nra. Qed.
Lemma rising_order k p q : codingok k = true -> rising k = true -> (p < q)%nat -> code k 0 p < code k 0 q.
Proof. intros OK H N. apply lt_INR in N. pose proof (pos_INR p). destruct k as [[| |b]|L]; try discriminate; cbn [code kc].
  - unfold cx. set (t := 2 * INR p + INR b). set (u := 2 * INR q + INR b). pose proof (pos_INR b). assert (t < u) by (unfold t, u; lra).
    assert (0 <= t) by (unfold t; lra).
    replace (- ((1 - t * t) / (1 + t * t))) with (1 - 2 * / (1 + t * t)) by (field; nra).
      replace (- ((1 - u * u) / (1 + u * u))) with (1 - 2 * / (1 + u * u)) by (field; nra).
    assert (Q1 : 0 < 1 + t * t) by nra. assert (Q2 : 0 < 1 + u * u) by nra. assert (Q3 : 1 + t * t < 1 + u * u) by nra.
    assert (/ (1 + u * u) < / (1 + t * t)) by (apply Rinv_lt_contravar; [apply Rmult_lt_0_compat; assumption | exact Q3]). lra.
  - apply pos_q in OK. set (l := Q2R L) in *. unfold ph0. pose proof (rad_pos l p OK) as Rp. pose proof (rad_pos l q OK) as Rq.
    pose proof (rad_sq l p OK) as Sp. pose proof (rad_sq l q OK) as Sq.
    apply Rmult_lt_reg_r with (rad l p * rad l q); [apply Rmult_lt_0_compat; assumption|].
    replace (INR p / rad l p * (rad l p * rad l q)) with (INR p * rad l q) by (field; lra).
      replace (INR q / rad l q * (rad l p * rad l q)) with (INR q * rad l p) by (field; lra).
    destruct (Rlt_dec (INR p * rad l q) (INR q * rad l p)) as [|B]; [assumption|exfalso].
    assert (INR q * rad l p * (INR q * rad l p) <= INR p * rad l q * (INR p * rad l q)) by (apply Rmult_le_compat; [apply Rmult_le_pos;
      lra | apply Rmult_le_pos; lra | lra | lra]).
    replace (INR q * rad l p * (INR q * rad l p)) with (INR q * INR q * (rad l p * rad l p)) in * by ring.
    replace (INR p * rad l q * (INR p * rad l q)) with (INR p * INR p * (rad l q * rad l q)) in * by ring.
    rewrite Sp, Sq in *. assert (D : 0 < (INR q * INR q - INR p * INR p) * (l * l)) by (apply Rmult_lt_0_compat; nra). lra. Qed.
