(* Atoms: what a residual coordinate is made of. At token p, atom 0 is the number 1, atom 1 is 1/(p+1), atom 2 is 1 at position 0 and 0
   elsewhere, and atom 3+4i+x is component x of the code of position p - b, where b is entry i of a list of shifts. A shift is a s + b
   in the stride s of the loop (s is 2^l after l loops that double). *)
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

Definition atom (k : coding) (s : nat) (bs : list shift) (p i : nat) : R :=
  match i with
  | 0%nat => 1
  | 1%nat => / (INR p + 1)
  | 2%nat => if Nat.eqb p 0 then 1 else 0
  | S (S (S i)) => code k (i mod 4) (p - val s (nth (i / 4) bs (0%Z, 0%Z)))
  end.

(* a form at token p - c over shifts bs, as a form at token p over shifts bs' *)
Fixpoint find (b : shift) (bs : list shift) (i : nat) : option nat :=
  match bs with nil => None | b' :: bs => if same b b' then Some i else find b bs (S i) end.
Lemma find_ok b bs : forall i j, find b bs i = Some j -> nth (j - i) bs (0%Z, 0%Z) = b /\ (i <= j)%nat.
Proof. induction bs as [|b' bs IH]; intros i j H; [discriminate|]. cbn [find] in H. destruct (same b b') eqn:E.
  - assert (j = i) by congruence. subst. rewrite Nat.sub_diag. apply same_ok in E. subst. split; [reflexivity|lia].
  - apply IH in H as [N L]. split; [|lia]. replace (j - i)%nat with (S (j - S i)) by lia. exact N. Qed.
Definition moved (c : shift) (bs bs' : list shift) (i : nat) : option nat :=
  match i with
  | 0%nat => Some 0%nat
  | 1%nat | 2%nat => if same c (0%Z, 0%Z) then Some i else None
  | S (S (S i)) => match find (plus (nth (i / 4) bs (0%Z, 0%Z)) c) bs' 0 with Some j => Some (3 + 4 * j + i mod 4)%nat | None => None end
  end.
Fixpoint move (c : shift) (bs bs' : list shift) (r : row) : option row :=
  match r with
  | nil => Some nil
  | (i, v) :: r => match moved c bs bs' i, move c bs bs' r with Some j, Some r => Some ((j, v) :: r) | _, _ => None end
  end.
Definition goods (bs : list shift) := forallb good bs.
Lemma goods_nth bs i : goods bs = true -> good (nth i bs (0%Z, 0%Z)) = true.
Proof. intro H. destruct (nth_in_or_default i bs (0%Z, 0%Z)) as [I|E]; [|rewrite E; reflexivity]. unfold goods in H.
  rewrite forallb_forall in H. apply H, I. Qed.
Lemma val_zero s : val s (0%Z, 0%Z) = 0%nat.
Proof. reflexivity. Qed.
Lemma atom_code k s bs p i x : (x < 4)%nat -> atom k s bs p (3 + 4 * i + x) = code k x (p - val s (nth i bs (0%Z, 0%Z))).
Proof. intro H. change (3 + 4 * i + x)%nat with (S (S (S (4 * i + x)))). cbn [atom].
  replace ((4 * i + x) mod 4)%nat with x by lia. replace ((4 * i + x) / 4)%nat with i by lia. reflexivity. Qed.
Lemma moved_ok k s c bs bs' p i j : (1 <= s)%nat -> goods bs = true -> good c = true -> moved c bs bs' i = Some j ->
  atom k s bs' p j = atom k s bs (p - val s c) i.
Proof. intros S G C H. destruct i as [|[|[|i]]]; cbn [moved] in H.
  - assert (j = 0)%nat by congruence. subst. reflexivity.
  - destruct (same c _) eqn:E; [|discriminate]. apply same_ok in E. subst. assert (j = 1)%nat by congruence. subst.
    rewrite val_zero, Nat.sub_0_r. reflexivity.
  - destruct (same c _) eqn:E; [|discriminate]. apply same_ok in E. subst. assert (j = 2)%nat by congruence. subst.
    rewrite val_zero, Nat.sub_0_r. reflexivity.
  - destruct (find _ bs' 0) as [j'|] eqn:F; [|discriminate]. assert (J : j = (3 + 4 * j' + i mod 4)%nat) by congruence.
    apply find_ok in F as [N _]. rewrite Nat.sub_0_r in N.
    rewrite J, atom_code by (apply Nat.mod_upper_bound; lia). rewrite N, val_plus by (auto; apply goods_nth; assumption). cbn [atom].
      f_equal. lia. Qed.
Lemma move_ok k s c bs bs' p r : (1 <= s)%nat -> goods bs = true -> good c = true -> forall r', move c bs bs' r = Some r' ->
  dot r' (atom k s bs' p) = dot r (atom k s bs (p - val s c)).
Proof. intros S G C. induction r as [|[i v] r IH]; intros r' H; cbn [move] in H; [assert (r' = nil) by congruence; subst; reflexivity|].
  destruct (moved c bs bs' i) as [j|] eqn:M; [|discriminate]. destruct (move c bs bs' r) as [t|]; [|discriminate].
    assert (r' = (j, v) :: t) by congruence. subst.
  cbn [dot]. rewrite (IH t eq_refl), (moved_ok k s c bs bs' p i j) by assumption. reflexivity. Qed.

(* shifts at stride 1, and at a multiple of the stride *)
Definition at_one (b : shift) : shift := (0%Z, (fst b + snd b)%Z).
Definition longer (n : Z) (b : shift) : shift := ((n * fst b)%Z, snd b).
Lemma val_at_one s b : val s (at_one b) = val 1 b.
Proof. unfold val, at_one. cbn [fst snd]. f_equal. lia. Qed.
Lemma val_longer n s b : val s (longer (Z.of_nat n) b) = val (n * s) b.
Proof. unfold val, longer. cbn [fst snd]. f_equal. nia. Qed.
Lemma nth_map_shift (g : shift -> shift) bs i : g (0%Z, 0%Z) = (0%Z, 0%Z) -> nth i (map g bs) (0%Z, 0%Z) = g (nth i bs (0%Z, 0%Z)).
Proof. intro E. rewrite <- E at 1. apply map_nth. Qed.
Lemma atom_at_one k s bs p i : atom k s (map at_one bs) p i = atom k 1 bs p i.
Proof. destruct i as [|[|[|i]]]; try reflexivity. cbn [atom]. rewrite nth_map_shift, val_at_one by reflexivity. reflexivity. Qed.
Lemma atom_longer k n s bs p i : atom k s (map (longer (Z.of_nat n)) bs) p i = atom k (n * s) bs p i.
Proof. destruct i as [|[|[|i]]]; try reflexivity. cbn [atom].
  rewrite nth_map_shift, val_longer by (unfold longer; cbn [fst snd]; f_equal; lia). reflexivity. Qed.
