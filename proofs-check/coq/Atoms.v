(* The second half of a feed-forward sublayer in forms: hidden units whose forms are known, the coordinates before and after. Every
   coordinate gets its units by position, so that the check of a large monoid reads each number once. *)
Require Import Reals Lra Lia Psatz ZArith QArith Qreals List Bool Arith ZifyNat.
From Logdepth Require Import Rows Model.
Import ListNotations.
Open Scope R_scope.

Fixpoint put {A} (i : nat) (y : A) (b : list (list A)) : list (list A) :=
  match b, i with
  | nil, _ => nil
  | l :: b, 0%nat => (y :: l) :: b
  | l :: b, S i => l :: put i y b
  end.
Definition blank {A} (n : nat) : list (list A) := repeat nil n.
Fixpoint column (r : row) (t : row) (b : list (list (Q * row))) :=
  match r with nil => b | (i, v) :: r => put i (v, t) (column r t b) end.
Definition positive (t : row) := negb (isconst t && Qle_bool (coef t 0) 0)%bool.
(* the units of each coordinate; a unit that is the constant relu 0 is left out *)
Fixpoint scatter (m : nat) (us : list (row * row)) : list (list (Q * row)) :=
  match us with nil => blank m | u :: us => if positive (fst u) then column (snd u) (fst u) (scatter m us) else scatter m us end.
Fixpoint settled (before : mat) (us : list (list (Q * row))) (next : mat) : bool :=
  match before, us, next with
  | nil, nil, nil => true
  | b :: before, u :: us, n :: next => let ra := relus u in (zeros (snd ra) && eqr (b ++ fst ra) n && settled before us next)%bool
  | _, _, _ => false
  end.

Lemma put_length {A} i (y : A) b : length (put i y b) = length b.
Proof. revert i. induction b as [|l b IH]; intros [|i]; cbn [put length]; auto. Qed.
Lemma put_nth {A} j (y : A) : forall i b, (i < length b)%nat ->
  nth i (put j y b) nil = if Nat.eqb j i then y :: nth i b nil else nth i b nil.
Proof. induction j as [|j IH]; intros i [|l b] H; try (cbn in H; lia); destruct i as [|i]; cbn [put nth Nat.eqb]; auto. apply IH.
  cbn in H. lia. Qed.
Lemma column_length r t b : length (column r t b) = length b.
Proof. induction r as [|[i v] r IH]; cbn [column]; [reflexivity|]. rewrite put_length. exact IH. Qed.
Lemma column_nth r t b i x : (i < length b)%nat ->
  relsum (nth i (column r t b) nil) x = Q2R (coef r i) * relu (dot t x) + relsum (nth i b nil) x.
Proof. intro H. induction r as [|[j v] r IH]; cbn [column]; [cbn [coef fold_right]; rewrite z0; ring|].
  rewrite put_nth by (rewrite column_length; exact H). rewrite coef_cons. destruct (Nat.eqb j i); cbn [relsum]; rewrite IH; ring. Qed.
Lemma scatter_length m us : length (scatter m us) = m.
Proof. induction us as [|u us IH]; cbn [scatter]; [apply repeat_length|].
  destruct (positive (fst u)); [rewrite column_length|]; exact IH. Qed.
Lemma blank_nth {A} m i : nth i (@blank A m) nil = nil.
Proof. unfold blank. revert i. induction m as [|m IH]; intros [|i]; cbn [repeat nth]; auto. Qed.
Lemma positive_ok t x : x 0%nat = 1 -> positive t = false -> relu (dot t x) = 0.
Proof. intros X H. unfold positive in H. apply negb_false_iff, andb_true_iff in H as [C L]. rewrite (isconst_dot t x X C). unfold relu.
  apply Qle_bool_iff, Qle_Rle in L. rewrite z0 in L. apply Rmax_right. exact L. Qed.
Lemma scatter_nth m us i x : x 0%nat = 1 -> (i < m)%nat -> relsum (nth i (scatter m us) nil) x = unitsum us x i.
Proof. intros X H. induction us as [|u us IH]; cbn [scatter unitsum]; [rewrite blank_nth; reflexivity|]. destruct (positive (fst u)) eqn:P.
  - rewrite column_nth by (rewrite scatter_length; exact H). rewrite IH. reflexivity.
  - rewrite (positive_ok _ _ X P), IH. ring. Qed.
(* if the lists agree, the stream after is the stream before plus what the units add *)
Theorem settled_ok m us x before next i : x 0%nat = 1 -> (i < m)%nat -> settled before (scatter m us) next = true ->
  dot (nth i before nil) x + unitsum us x i = dot (nth i next nil) x.
Proof. intros X H S. rewrite <- (scatter_nth m us i x X H). assert (L : (i < length (scatter m us))%nat) by (rewrite scatter_length;
  exact H).
  clear H. revert before next i S L. induction (scatter m us) as [|u l IH]; intros [|b before] [|n next] i S L; try discriminate;
    [cbn in L; lia|].
  cbn [settled] in S. apply andb_true_iff in S as [S T]. apply andb_true_iff in S as [Z E]. destruct i as [|i]; cbn [nth].
  - rewrite (relus_ok u x X), (absum_zero _ x Z), Rplus_0_r, <- dot_app. apply eqr_ok, E.
  - apply IH; [exact T|]. cbn in L. lia. Qed.

(* The three facts that first-flag files need: the uniform head, the direction of (p, L),
  the match of phi codes with shift and clamp. *)
Lemma sumf_plus f g l : sumf (fun i => f i + g i) l = sumf f l + sumf g l.
Proof. induction l as [|a l IH]; cbn; [lra|unfold sumf in IH; rewrite IH; lra]. Qed.
Lemma sumf_scal k g l : sumf (fun i => k * g i) l = k * sumf g l.
Proof. induction l as [|a l IH]; cbn; [lra|unfold sumf in IH; rewrite IH; lra]. Qed.
(* uniform: equal scores select everything visible; the mean of "is position 0" is 1/(p+1) *)
Lemma argmax_uniform s k l : (forall j, In j l -> s j = k) -> argmax s l = l.
Proof. intro H. unfold argmax. assert (G : forall l', incl l' l -> filter (fun j => forallb (fun j' => leb (s j') (s j)) l) l' = l').
 { induction l' as [|a l' IH]; intro I; [reflexivity|]. cbn [filter]. replace (forallb _ l) with true.
   - f_equal. apply IH. intros x X. apply I. simpl. auto.
   - symmetry. apply forallb_forall. intros j J. unfold leb. destruct (Rle_dec _ _) as [|C]; [reflexivity|]. exfalso. apply C.
     rewrite (H j J), (H a) by (apply I; simpl; auto). lra. }
 apply G, incl_refl. Qed.
Lemma mean_first p : average (fun j => if Nat.eqb j 0 then 1 else 0) (seq 0 (S p)) = / (INR p + 1).
Proof. unfold average. rewrite seq_length, S_INR. cbn [seq sumf fold_right Nat.eqb].
  change (fold_right _ 0 (seq 1 p)) with (sumf (fun j => if Nat.eqb j 0 then 1 else 0) (seq 1 p)).
 replace (sumf _ (seq 1 p)) with 0. - pose proof (pos_INR p). field. lra.
 - symmetry. assert (Z : forall n a, (1 <= a)%nat -> sumf (fun j => if Nat.eqb j 0 then 1 else 0) (seq a n) = 0).
   { induction n as [|n IH]; intros a A; [reflexivity|]. cbn [seq sumf fold_right].
     change (fold_right _ 0 (seq (S a) n)) with (sumf (fun j => if Nat.eqb j 0 then 1 else 0) (seq (S a) n)).
     rewrite IH by lia. destruct a; [lia|]. simpl. lra. }
   apply Z. lia. Qed.
(* phi codes *)
Definition rad L p := sqrt (INR p * INR p + L * L).
Definition ph0 L p := INR p / rad L p.   Definition ph1 L p := L / rad L p.
Lemma rad_pos L p : 0 < L -> 0 < rad L p. Proof. intro H. apply sqrt_lt_R0. pose proof (pos_INR p). nra. Qed.
Lemma rad_sq L p : 0 < L -> rad L p * rad L p = INR p * INR p + L * L. Proof. intro H. apply sqrt_sqrt. pose proof (pos_INR p). nra. Qed.
Lemma ph_unit L p : 0 < L -> ph0 L p * ph0 L p + ph1 L p * ph1 L p = 1.
Proof. intro H. unfold ph0, ph1. pose proof (rad_pos L p H). pose proof (rad_sq L p H).
  replace (INR p / rad L p * (INR p / rad L p) + L / rad L p * (L / rad L p)) with ((INR p * INR p + L * L) / (rad L p * rad L p)) by
    (field; lra).
 rewrite H1. field. pose proof (pos_INR p). nra. Qed.
Definition pscore L (k e j : nat) := (ph0 L e - INR k / L * ph1 L e) * ph0 L j + ph1 L e * ph1 L j.
Lemma pscore_eq L k e j : 0 < L -> pscore L k e j = ((INR e - INR k) * INR j + L * L) / (rad L e * rad L j).
Proof. intro H. unfold pscore, ph0, ph1. pose proof (rad_pos L e H). pose proof (rad_pos L j H). field. lra. Qed.
Theorem phi_back L k e j : 0 < L -> j <> (e - k)%nat -> pscore L k e j < pscore L k e (e - k).
Proof. intros H N. rewrite !pscore_eq by assumption. set (t := (e - k)%nat) in *. pose proof (rad_pos L e H) as Pe.
  pose proof (rad_pos L j H) as Pj. pose proof (rad_pos L t H) as Pt.
 pose proof (rad_sq L j H) as Sj. pose proof (rad_sq L t H) as St. pose proof (pos_INR j) as J. pose proof (pos_INR t) as TT.
 cut (((INR e - INR k) * INR j + L * L) * rad L t < ((INR e - INR k) * INR t + L * L) * rad L j).
 { intro C. apply Rmult_lt_reg_r with (rad L e * rad L j * rad L t); [repeat apply Rmult_lt_0_compat; assumption|].
   replace (((INR e - INR k) * INR j + L * L) / (rad L e * rad L j) * (rad L e * rad L j * rad L t)) with
     (((INR e - INR k) * INR j + L * L) * rad L t) by (field; repeat split; lra).
   replace (((INR e - INR k) * INR t + L * L) / (rad L e * rad L t) * (rad L e * rad L j * rad L t)) with
     (((INR e - INR k) * INR t + L * L) * rad L j) by (field; repeat split; lra). exact C. }
 destruct (le_lt_dec k e) as [K|K].
 - replace (INR e - INR k) with (INR t) by (unfold t; rewrite minus_INR by exact K; ring). rewrite <- St.
   assert (D : INR j <> INR t) by (intro E; apply N, INR_eq, E). assert (Q : 0 < (INR j - INR t) * (INR j - INR t)) by nra.
   cut (INR t * INR j + L * L < rad L t * rad L j). { intro C. nra. }
   assert (P1 : 0 <= INR t * INR j + L * L) by nra. assert (P2 : 0 < rad L t * rad L j) by (apply Rmult_lt_0_compat; assumption).
   destruct (Rlt_dec (INR t * INR j + L * L) (rad L t * rad L j)) as [|C]; [assumption|exfalso].
   assert (C2 : rad L t * rad L j * (rad L t * rad L j) <= (INR t * INR j + L * L) * (INR t * INR j + L * L)) by (apply Rmult_le_compat;
     lra).
   replace (rad L t * rad L j * (rad L t * rad L j)) with (rad L t * rad L t * (rad L j * rad L j)) in C2 by ring. rewrite St, Sj in C2.
   assert (0 < L * L * ((INR j - INR t) * (INR j - INR t))) by (apply Rmult_lt_0_compat; nra). nra.
 - assert (t = 0%nat) as E by (unfold t; lia). rewrite E in *. change (INR 0) with 0 in *.
   assert (RL : rad L 0 = L) by (unfold rad; change (INR 0) with 0; replace (0 * 0 + L * L) with (L * L) by ring; apply sqrt_square; lra).
   rewrite RL. assert (EK : INR e < INR k) by (apply lt_INR; exact K).
     assert (J1 : 1 <= INR j) by (replace 1 with (INR 1) by reflexivity; apply le_INR; lia).
   assert (RJ : sqrt (L * L) <= rad L j) by (apply sqrt_le_1_alt; assert (0 <= INR j * INR j) by (apply Rmult_le_pos; lra); lra).
     rewrite sqrt_square in RJ by lra. assert ((INR e - INR k) * INR j < 0) by nra. nra. Qed.
(* what is normalised is a positive multiple q of y, and the sum of the squares of y is known *)
Theorem one_rho (f : network) (x y : nat -> R) q l s : (0 < width f)%nat -> 0 < q -> 0 < l -> 0 <= s ->
  (forall c, (c < width f)%nat -> x c = q * y c) -> mean f x = 0 ->
  s * s * sumn (width f) (fun c => y c * y c) = INR (width f) * l -> forall c, (c < width f)%nat -> norm f x c = s * y c / sqrt l.
Proof. intros Hm Hq Hl Hs Hx Hmean Hy c Hc. set (S := sumn (width f) (fun c => y c * y c)) in *.
  assert (M : 0 < INR (width f)) by (apply lt_0_INR; exact Hm). assert (ML : 0 < INR (width f) * l) by (apply Rmult_lt_0_compat;
    assumption).
  assert (S0 : 0 < S). { destruct (Rlt_le_dec 0 S) as [|C]; [assumption|]. assert (0 <= s * s) by (apply Rle_0_sqr). nra. }
  assert (SS : ss f (centred f x) = q * q * S).
  { unfold ss, S, sumn. rewrite <- sumf_scal. apply sumf_ext. intros i I. apply in_seq in I. unfold centred. rewrite Hmean, Hx by lia.
    ring. }
  assert (R : sqrt (INR (width f)) = s * sqrt S / sqrt l).
  { apply Rmult_eq_reg_r with (sqrt l); [|apply Rgt_not_eq, sqrt_lt_R0, Hl].
    rewrite <- sqrt_mult by lra. rewrite <- Hy, sqrt_mult by (try apply Rle_0_sqr; lra). rewrite sqrt_square by exact Hs. field.
    apply Rgt_not_eq, sqrt_lt_R0, Hl. }
  unfold norm. rewrite SS, R. unfold centred. rewrite Hmean, Hx by exact Hc. rewrite sqrt_mult by nra. rewrite sqrt_square by lra. field.
  repeat split; apply Rgt_not_eq; try (apply sqrt_lt_R0; assumption); assumption. Qed.

(* Atoms: what a residual coordinate is made of. At token p, atom 0 is the number 1, atom 1 is 1/(p+1), atom 2 is 1 at position 0 and 0
   elsewhere, and atom 3+4i+x is component x of entry i of a list of places: the code of position p - b, for a shift b, or a direction of
   the own token. A shift is a s + b in the stride s of the loop (s is 2^l after l loops that double). *)
Ltac Zify.zify_post_hook ::= Z.to_euclidean_division_equations.

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

(* Which code is nearest to a fraction: a head whose query is a positive multiple of (x, 1), where x is a little more than a count divided
   by m, selects the position that is the quotient, rounded down. *)

(* x1 count + x0 against e, in terms of the positions that codes stand for: (count + o) / m, and at least nothing, less than 1/m less a gap
   more *)
Definition whole_q (n : nat) : Q := inject_Z (Z.of_nat n).
Definition within (m o : nat) (x1 x0 e unit shift gap : Q) : bool :=
  (let more := unit * x0 / e + shift in
   Nat.ltb o m && negb (Qle_bool e 0) && Qeq_bool (whole_q m * (unit * x1)) e && Qle_bool (whole_q o / whole_q m) more &&
   negb (Qle_bool (whole_q (S o) / whole_q m) (more + gap)))%bool%Q.
Definition floors (k : coding) (m o : nat) (x1 x0 e : Q) : bool :=
  match k with
  | Written (Fine b) => Nat.leb 1 b && within m o x1 x0 e 1 (- ((whole_q b - 1) / 2)) (1 / whole_q (S b))
  | Phi L => Qle_bool 1 L && within m o x1 x0 e L (1 # 2) (1 / (8 * L))
  | _ => false
  end%bool%Q.
Lemma floors_below k m o x1 x0 e : floors k m o x1 x0 e = true -> (o < m)%nat.
Proof. unfold floors, within. destruct k as [[| |b]|L]; try discriminate; cbv zeta; intro H;
  repeat match goal with H : (_ && _)%bool = true |- _ => apply andb_true_iff in H as [? ?] end;
  match goal with H : Nat.ltb _ _ = true |- _ => apply Nat.ltb_lt, H end. Qed.
Lemma within_ok m o x1 x0 e unit shift gap c : within m o x1 x0 e unit shift gap = true ->
  let u := Q2R unit * ((Q2R x1 * INR c + Q2R x0) / Q2R e) in let t := INR ((c + o) / m) in
  0 < Q2R e /\ t <= u + Q2R shift /\ u + Q2R shift < t + 1 - Q2R gap.
Proof. intros H u t. unfold within in H. cbv zeta in H. repeat match goal with H : (_ && _)%bool = true |- _ => apply andb_true_iff in H
  as [? ?] end.
  match goal with H : Nat.ltb _ _ = true |- _ => apply Nat.ltb_lt in H; rename H into OM end.
  match goal with H : negb (Qle_bool e 0) = true |- _ => apply pos_q in H; rename H into E end.
  match goal with H : Qeq_bool _ e = true |- _ => apply eq_q in H; rename H into X1 end.
  match goal with H : Qle_bool _ _ = true |- _ => apply Qle_bool_iff, Qle_Rle in H; rename H into LO end.
  match goal with H : negb (Qle_bool _ _) = true |- _ => apply lt_q in H; rename H into HI end. unfold whole_q in *.
  assert (MR : 0 < INR m) by (apply lt_0_INR; lia).
  assert (MZ : ~ inject_Z (Z.of_nat m) == 0) by (intro Z0; apply Qeq_eqR in Z0; rewrite INR_Q, z0 in Z0; lra).
  assert (EZ : ~ e == 0) by (intro Z0; apply Qeq_eqR in Z0; rewrite z0 in Z0; lra).
  rewrite !Q2R_mult, INR_Q in X1. rewrite Q2R_plus, !Q2R_div, Q2R_mult, !INR_Q in LO by assumption.
  rewrite !Q2R_plus, !Q2R_div, Q2R_mult, !INR_Q, S_INR in HI by assumption. set (y := Q2R unit * Q2R x0 / Q2R e) in *.
  pose proof (Nat.div_mod (c + o) m ltac:(lia)) as DM. fold t in DM. pose proof (Nat.mod_upper_bound (c + o) m ltac:(lia)) as RU.
  set (r := ((c + o) mod m)%nat) in *. apply (f_equal INR) in DM. rewrite !plus_INR, mult_INR in DM. fold t in DM.
  assert (U : u = t + (INR r - INR o) * / INR m + y).
  { unfold u, y. replace (INR c) with (INR m * t + INR r - INR o) by lra.
    replace (Q2R unit * ((Q2R x1 * (INR m * t + INR r - INR o) + Q2R x0) / Q2R e)) with
      (INR m * (Q2R unit * Q2R x1) * (t + (INR r - INR o) * / INR m) * / Q2R e + Q2R unit * Q2R x0 / Q2R e) by (field; lra).
    rewrite X1. field. lra. }
  assert (RI : INR r + 1 <= INR m) by (rewrite <- S_INR; apply le_INR; lia). pose proof (pos_INR r) as R0.
  pose proof (Rinv_0_lt_compat _ MR) as MI. assert (ONE : INR m * / INR m = 1) by (apply Rinv_r; lra). unfold Rdiv in LO, HI at 1.
  fold y in LO, HI. split; [exact E|]. rewrite U. split; nra. Qed.
(* fine codes *)
Lemma fine_nearest x b t j : (1 <= b)%nat -> INR t + (INR b - 1) / 2 <= x -> x < INR t + (INR b + 1) / 2 - / (INR b + 1) -> j <> t ->
  x * code (Written (Fine b)) 0 j + code (Written (Fine b)) 1 j < x * code (Written (Fine b)) 0 t + code (Written (Fine b)) 1 t.
Proof. intros B L U N. apply le_INR in B. cbn [INR] in B. pose proof (pos_INR t) as T0. pose proof (pos_INR j) as J0. cbn [code kc].
  unfold cx, cy.
  set (u := 2 * INR t + INR b) in *. set (v := 2 * INR j + INR b).
  assert (Pu : 0 < 1 + u * u) by nra. assert (Pv : 0 < 1 + v * v) by nra.
  assert (D : x * - ((1 - u * u) / (1 + u * u)) + 2 * u / (1 + u * u) - (x * - ((1 - v * v) / (1 + v * v)) + 2 * v / (1 + v * v)) =
    2 * ((u - v) * (x * (u + v) + 1 - u * v)) / ((1 + u * u) * (1 + v * v))) by (field; lra).
  cut (0 < (u - v) * (x * (u + v) + 1 - u * v)).
  { intro C. apply Rminus_gt_0_lt. rewrite D. apply Rdiv_lt_0_compat; [lra|apply Rmult_lt_0_compat; assumption]. }
  destruct (lt_dec j t) as [J|J].
  - assert (J' : (S j <= t)%nat) by lia. apply le_INR in J'. rewrite S_INR in J'. assert (V : v <= u - 2) by (unfold u, v; lra).
    apply Rmult_lt_0_compat; [lra|].
    assert (XL : (u - 1) / 2 <= x) by (unfold u; lra). assert (V0 : 1 <= v) by (unfold v; lra). nra.
  - assert (J' : (S t <= j)%nat) by lia. apply le_INR in J'. rewrite S_INR in J'. assert (V : u + 2 <= v) by (unfold u, v; lra).
    assert (XY : x * (2 * u + 2) + 1 < u * (u + 2)).
    { assert (W : / (u + 1) <= / (INR b + 1)) by (apply Rinv_le_contravar; unfold u; lra). assert (XU : x < (u + 1) / 2 - / (u + 1)) by
        (unfold u in *; lra). assert (I : (u + 1) * / (u + 1) = 1) by (apply Rinv_r; unfold u; lra). assert (1 <= u) by (unfold u; lra).
          nra. }
    assert (XU : x < u). { assert (1 <= u) by (unfold u; lra). nra. }
    assert (Y : x * (u + v) + 1 - u * v < 0) by nra. nra. Qed.
(* phi codes: the query is (u, L), u between t - 1/2 and t + 1/2 - 1/(8 L) *)
Lemma phi_nearest u L t j : 1 <= L -> INR t - 1 / 2 <= u -> u < INR t + 1 / 2 - / (8 * L) -> j <> t ->
  u * ph0 L j + L * ph1 L j < u * ph0 L t + L * ph1 L t.
Proof. intros HL Lo Up N. pose proof (pos_INR t) as T0. pose proof (pos_INR j) as J0. assert (L0 : 0 < L) by lra.
  pose proof (rad_pos L t L0) as Rt. pose proof (rad_pos L j L0) as Rj. pose proof (rad_sq L t L0) as St. pose proof (rad_sq L j L0) as Sj.
  unfold ph0, ph1. replace (u * (INR j / rad L j) + L * (L / rad L j)) with ((u * INR j + L * L) / rad L j) by (field; lra).
  replace (u * (INR t / rad L t) + L * (L / rad L t)) with ((u * INR t + L * L) / rad L t) by (field; lra).
  set (a := u * INR t + L * L). set (b := u * INR j + L * L). set (d := u - INR t).
  assert (T1 : INR t = 0 \/ 1 <= INR t).
  { destruct t as [|n]; [left; reflexivity|right]. rewrite S_INR. pose proof (pos_INR n). lra. }
  assert (A : 0 < a) by (unfold a; destruct T1 as [->|T1]; nra).
  cut (b * rad L t < a * rad L j).
  { intro C. apply Rmult_lt_reg_r with (rad L j * rad L t); [apply Rmult_lt_0_compat; assumption|].
    replace (b / rad L j * (rad L j * rad L t)) with (b * rad L t) by (field; lra).
    replace (a / rad L t * (rad L j * rad L t)) with (a * rad L j) by (field; lra). exact C. }
  assert (P : 0 < a * rad L j) by (apply Rmult_lt_0_compat; assumption).
  destruct (Rle_lt_dec b 0) as [B|B]; [nra|].
  (* the squares *)
  cut (b * b * (rad L t * rad L t) < a * a * (rad L j * rad L j)).
  { intro C. destruct (Rlt_le_dec (b * rad L t) (a * rad L j)) as [|D]; [assumption|exfalso].
    assert (a * rad L j * (a * rad L j) <= b * rad L t * (b * rad L t)) by (apply Rmult_le_compat; lra). nra. }
  rewrite St, Sj. set (s := INR t * INR t + L * L). set (k := INR j - INR t).
  assert (ID : a * a * (INR j * INR j + L * L) - b * b * s = L * L * (k * ((k - 2 * d) * s - d * d * (2 * INR t + k)))).
  { unfold a, b, s, k, d. ring. }
  cut (0 < k * ((k - 2 * d) * s - d * d * (2 * INR t + k))). { intro C. assert (0 < L * L) by nra. nra. }
  assert (Dl : - (1 / 2) <= d) by (unfold d; lra). set (g := / (8 * L)) in *. assert (G : g * (8 * L) = 1) by (apply Rinv_l; lra).
  assert (G0 : 0 < g) by (apply Rinv_0_lt_compat; lra). assert (Du : d < 1 / 2 - g) by (unfold d; lra).
  assert (S1 : 1 <= s) by (unfold s; nra). assert (D4 : d * d <= 1 / 4) by nra.
  destruct (lt_dec t j) as [J|J].
  - assert (K : 1 <= k). { unfold k. assert (J' : (S t <= j)%nat) by lia. apply le_INR in J'. rewrite S_INR in J'. lra. }
    apply Rmult_lt_0_compat; [lra|].
    cut (0 < (1 - 2 * d) * s - d * d * (2 * INR t + 1)). { intro C. nra. }
    destruct (Rle_lt_dec d 0) as [D|D]; [unfold s in *; nra|].
    (* at the gap itself *)
    assert (Q : (1 / 2 - g) * (1 / 2 - g) * (2 * INR t + 1) <= 2 * g * s).
    { set (q := (4 * L - 1) * (4 * L - 1)). assert (E : 0 < 16 * L * (16 * L * (INR t * INR t) - 2 * q * INR t + 16 * (L * L * L) - q)).
      { replace (16 * L * (16 * L * (INR t * INR t) - 2 * q * INR t + 16 * (L * L * L) - q)) with
          ((16 * L * INR t - q) * (16 * L * INR t - q) + (32 * (L * L) - 1)) by (unfold q; ring).
        assert (0 <= (16 * L * INR t - q) * (16 * L * INR t - q)) by apply Rle_0_sqr. nra. }
      assert (E' : 0 < 16 * L * (INR t * INR t) - 2 * q * INR t + 16 * (L * L * L) - q) by nra.
      apply Rmult_le_reg_r with (64 * (L * L)); [nra|].
      replace ((1 / 2 - g) * (1 / 2 - g) * (2 * INR t + 1) * (64 * (L * L))) with
        ((4 * L - g * (8 * L)) * (4 * L - g * (8 * L)) * (2 * INR t + 1)) by field.
      replace (2 * g * s * (64 * (L * L))) with (g * (8 * L) * (16 * L) * s) by ring. rewrite G. unfold q, s in *. lra. }
    assert (d * d <= (1 / 2 - g) * (1 / 2 - g)) by nra. nra.
  - assert (K : k <= -1). { unfold k. assert (J' : (S j <= t)%nat) by lia. apply le_INR in J'. rewrite S_INR in J'. lra. }
    assert (T2 : 0 < 2 * INR t + k) by (unfold k in *; lra).
    cut (0 < (- k + 2 * d) * s + d * d * (2 * INR t + k)). { intro C. nra. }
    destruct (Req_dec d 0) as [->|D]; [nra|]. assert (0 < d * d) by nra. assert (0 <= (- k + 2 * d) * s) by nra. nra. Qed.
Theorem floors_ok k m o x1 x0 e c j : codingok k = true -> floors k m o x1 x0 e = true -> j <> ((c + o) / m)%nat ->
  let score i := (Q2R x1 * INR c + Q2R x0) * code k 0 i + Q2R e * code k 1 i in score j < score ((c + o) / m)%nat.
Proof. intros OK H N score. unfold floors in H. destruct k as [[| |b]|L]; try discriminate; apply andb_true_iff in H as [A H];
    destruct (within_ok _ _ _ _ _ _ _ _ c H) as (E & Lo & Up).
  - apply Nat.leb_le in A. set (x := (Q2R x1 * INR c + Q2R x0) / Q2R e) in *. pose proof (le_INR _ _ A) as B1. cbn [INR] in B1.
    assert (Q1 : Q2R 1 = 1) by (unfold Q2R; simpl; lra). assert (Q2 : Q2R 2 = 2) by (unfold Q2R; simpl; lra).
    assert (SH : Q2R (- ((whole_q b - 1) / 2)) = - ((INR b - 1) / 2)).
    { unfold whole_q. rewrite Q2R_opp, Q2R_div, Q2R_minus, INR_Q, Q1, Q2; [reflexivity|discriminate]. }
    assert (GP : Q2R (1 / whole_q (S b)) = / (INR b + 1)).
    { unfold whole_q. rewrite Q2R_div, INR_Q, Q1, S_INR; [unfold Rdiv; ring|]. intro Z0. apply Qeq_eqR in Z0.
      rewrite INR_Q, z0, S_INR in Z0. lra. }
    rewrite SH, Q1, ?GP in *.
    assert (S : forall i, score i = Q2R e * (x * code (Written (Fine b)) 0 i + code (Written (Fine b)) 1 i)).
    { intro i. unfold score, x. field. lra. }
    rewrite !S. apply Rmult_lt_compat_l; [exact E|]. apply fine_nearest; [exact A|lra|lra|exact N].
  - apply Qle_bool_iff, Qle_Rle in A. assert (Q1 : Q2R 1 = 1) by (unfold Q2R; simpl; lra). rewrite Q1 in A. set (l := Q2R L) in *.
    set (x := (Q2R x1 * INR c + Q2R x0) / Q2R e) in *.
    assert (SH : Q2R (1 # 2) = 1 / 2) by (unfold Q2R; simpl; lra). assert (Q8 : Q2R 8 = 8) by (unfold Q2R; simpl; lra).
    assert (GP : Q2R (1 / (8 * L)) = / (8 * l)).
    { rewrite Q2R_div, Q2R_mult, Q1, Q8; [unfold Rdiv; fold l; ring|]. intro Z0. apply Qeq_eqR in Z0. rewrite Q2R_mult, Q8, z0 in Z0.
      fold l in Z0. lra. }
    rewrite SH, GP in *. cbn [code] in *. fold l in score. unfold code in score. fold l in score.
    assert (S : forall i, score i = Q2R e / l * (l * x * ph0 l i + l * ph1 l i)).
    { intro i. unfold score, x. field. split; lra. }
    rewrite !S. apply Rmult_lt_compat_l; [apply Rdiv_lt_0_compat; lra|]. apply phi_nearest; [exact A|lra|lra|exact N]. Qed.
