(* Layer normalisation of forms (MS25 Definition 2.2): if the sum of squares of the masked coordinates is one number, for all tokens, the
   norm is multiplication by a number; if they are (a p + b)/(p+1), it is the direction of (p, L). *)
Require Import Reals Lra Lia Psatz ZArith QArith Qreals List Bool Arith ZifyNat.
  From Logdepth Require Import Codes Rows Model FirstFlag Atoms Checker. Import ListNotations.
Open Scope R_scope.
Ltac split_and := repeat match goal with H : (_ && _)%bool = true |- _ => apply andb_true_iff in H as [? ?] end.

Lemma atom_unit k s bs p i : codingok k = true -> (3 <= i)%nat -> Nat.even (i - 3) = true ->
  atom k s bs p i * atom k s bs p i + atom k s bs p (S i) * atom k s bs p (S i) = 1.
Proof. intros K L E. apply Nat.even_spec in E as [n E]. assert (i = 3 + 2 * n)%nat by lia. subst i.
  pose proof (Nat.div_mod n 2 ltac:(lia)) as D. pose proof (Nat.mod_upper_bound n 2 ltac:(lia)) as U. set (q := (n / 2)%nat) in *.
    set (r := (n mod 2)%nat) in *.
  destruct r as [|[|r]]; [| |lia].
  - replace (3 + 2 * n)%nat with (3 + 4 * q + 0)%nat by lia. replace (S (3 + 4 * q + 0)) with (3 + 4 * q + 1)%nat by lia.
    rewrite !atom_code by lia. apply unit_code, K.
  - replace (3 + 2 * n)%nat with (3 + 4 * q + 2)%nat by lia. replace (S (3 + 4 * q + 2)) with (3 + 4 * q + 3)%nat by lia.
    rewrite !atom_code by lia. apply unit_code2. Qed.
Lemma atom2_sq k s bs p : atom k s bs p 2 * atom k s bs p 2 = atom k s bs p 2.
Proof. cbn [atom]. destruct (Nat.eqb p 0); ring. Qed.

Lemma zero_q w : Qeq_bool w 0 = true -> Q2R w = 0.
Proof. intro H. rewrite (eq_q _ _ H). apply z0. Qed.
Lemma square_ok w r q e : square w r = Some q -> e 0%nat = 1 -> e 2%nat * e 2%nat = e 2%nat ->
  Q2R w * dot r e * (Q2R w * dot r e) = dot q (fun j => e j * e j).
Proof. intros H E0 E2. unfold square in H. destruct (Qeq_bool w 0) eqn:W.
  { apply zero_q in W. assert (q = nil) by congruence. subst. rewrite W. cbn [dot]. ring. }
  destruct r as [|[i u] [|[j v] [|]]].
  - assert (q = nil) by congruence. subst. cbn. ring.
  - assert (S : q = [(i, Qred (w * u * (w * u)))]) by (destruct i; congruence). subst. cbn [dot]. rewrite qr, !Q2R_mult. ring.
  - destruct i as [|i]; [|discriminate]. destruct j as [|[|[|j]]]; try discriminate.
    assert (S : q = [(0%nat, Qred (w * u * (w * u))); (2%nat, Qred (w * w * (2 * u * v + v * v)))]) by congruence. subst. cbn [dot].
    rewrite !qr, !Q2R_mult, Q2R_plus, !Q2R_mult, E0, E2. replace (Q2R 2) with 2 by (unfold Q2R; simpl; lra).
    replace (Q2R w * (Q2R u * 1 + (Q2R v * e 2%nat + 0)) * (Q2R w * (Q2R u * 1 + (Q2R v * e 2%nat + 0))))
      with (Q2R w * Q2R w * (Q2R u * Q2R u + 2 * Q2R u * Q2R v * e 2%nat + Q2R v * Q2R v * (e 2%nat * e 2%nat))) by ring.
    rewrite E2. ring.
  - destruct i as [|i]; [|discriminate]. destruct j as [|[|[|j]]]; discriminate. Qed.

(* a sum over coordinates, as a sum over the lists of mask and forms *)
Definition zipsum (g : R -> R -> R) (ws : list Q) (t : mat) (e : nat -> R) : R :=
  fold_right (fun p a => g (Q2R (fst p)) (dot (snd p) e) + a) 0 (combine ws t).
Lemma zipsum_ok (f : file) mask (t : mat) x e g : length t = width f -> (forall i, (i < width f)%nat -> x i = dot (nth i t nil) e) ->
  sumn (width f) (fun i => g (Q2R (coef mask i)) (x i)) = zipsum g (dense f mask) t e.
Proof. intros L E. unfold sumn, zipsum, dense. assert (G : forall n a (t : mat), length t = n -> (forall i, (i < n)%nat ->
  x (a + i)%nat = dot (nth i t nil) e) ->
    sumf (fun i => g (Q2R (coef mask i)) (x i)) (seq a n) = fold_right (fun p b => g (Q2R (fst p)) (dot (snd p) e) + b) 0 (combine (map
      (coef mask) (seq a n)) t)).
  { induction n as [|n IH]; intros a [|r t'] Lt Et; try discriminate; [reflexivity|]. cbn [seq map combine sumf fold_right fst snd].
    f_equal; [f_equal; specialize (Et 0%nat ltac:(lia)); rewrite Nat.add_0_r in Et; exact Et|]. apply (IH (S a)); [cbn in Lt; lia|].
    intros i H. specialize (Et (S i) ltac:(lia)). rewrite Nat.add_succ_r in Et. exact Et. }
  apply (G _ 0%nat); assumption. Qed.
Lemma squares_ok e ws (t : mat) : e 0%nat = 1 -> e 2%nat * e 2%nat = e 2%nat -> forall q, squares ws t = Some q ->
  zipsum (fun w y => w * y * (w * y)) ws t e = dot q (fun j => e j * e j).
Proof. intros E0 E2. revert t. induction ws as [|w ws IH]; intros [|r t] q H; cbn [squares] in H; try (assert (q = nil) by congruence;
  subst; reflexivity).
  destruct (square w r) as [q1|] eqn:S; [|discriminate]. destruct (squares ws t) as [s|] eqn:T; [|discriminate].
    assert (q = q1 ++ s) by congruence. subst.
  unfold zipsum. cbn [combine fold_right fst snd]. rewrite dot_app. f_equal; [apply square_ok; assumption|]. apply (IH t s T). Qed.
Lemma pairs_ok (e : nat -> R) : e 0%nat = 1 -> (forall i, (3 <= i)%nat -> Nat.even (i - 3) = true -> e i * e i + e (S i) * e (S i) = 1) ->
  forall n q x, pairs n q = Some x -> dot q (fun j => e j * e j) = Q2R x.
Proof. intros E0 EU. induction n as [|n IH]; intros q x H.
  - destruct q; cbn [pairs] in H; [assert (x = 0%Q) by congruence; subst; cbn; rewrite z0; reflexivity|discriminate].
  - destruct q as [|[i v] q]; cbn [pairs] in H; [assert (x = 0%Q) by congruence; subst; cbn; rewrite z0; reflexivity|].
    destruct i as [|i].
    + destruct (pairs n q) as [y|] eqn:P; [|discriminate]. assert (x = (v + y)%Q) by congruence. subst. cbn [dot].
      rewrite (IH _ _ P), Q2R_plus, E0. ring.
    + destruct q as [|[j w] q]; [discriminate|]. destruct (_ && _)%bool eqn:C in H; [|discriminate]. split_and.
      destruct (pairs n q) as [y|] eqn:P; [|discriminate]. assert (x = (v + y)%Q) by congruence. subst.
      repeat match goal with H : Nat.leb _ _ = true |- _ => apply Nat.leb_le in H | H : Nat.eqb _ _ = true |- _ => apply Nat.eqb_eq in H
        | H : Qeq_bool _ _ = true |- _ => apply eq_q in H end.
      subst j. cbn [dot]. rewrite (IH _ _ P), Q2R_plus. match goal with H : Q2R v = Q2R w |- _ => rewrite H end.
      transitivity (Q2R w * (e (S i) * e (S i) + e (S (S i)) * e (S (S i))) + Q2R y); [ring|]. rewrite EU by assumption. ring. Qed.
Lemma total_ok ws (t : mat) e : zipsum Rmult ws t e = dot (total ws t) e.
Proof. revert t. induction ws as [|w ws IH]; intros [|r t]; try reflexivity. unfold zipsum. cbn [combine fold_right total fst snd].
  rewrite dot_app, dot_scl. f_equal. apply IH. Qed.
Lemma isnil_ok r : isnil r = true -> r = nil.
Proof. destruct r; [reflexivity|discriminate]. Qed.

Section Norms.
Variables (f : file) (c : cert).
Notation m := (width (net f)).
Hypothesis Hm : (0 < m)%nat.
Hypothesis Hk : codingok (coded c) = true.
Lemma mean_ok mask t x e : length t = m -> zero_mean f (dense f mask) t = true -> (forall i, (i < m)%nat -> x i = dot (nth i t nil) e) ->
  mean f (masked mask x) = 0.
Proof. intros L H E. unfold zero_mean in H. unfold mean. destruct (ln f); [|reflexivity]. apply isnil_ok in H.
  unfold masked. rewrite (zipsum_ok f mask t x e Rmult L E), total_ok, <- dot_canon, H. cbn [dot]. unfold Rdiv. ring. Qed.
Lemma dense_nth mask i : (i < m)%nat -> nth i (dense f mask) 0%Q = coef mask i.
Proof. intro H. unfold dense. apply nth_map_seq, H. Qed.
Lemma scale_ok mask k t s bs p x : normok f c (dense f mask) (Scale k) bs t = true -> (forall i, (i < m)%nat ->
  x i = dot (nth i t nil) (atom (coded c) s bs p)) ->
  forall j, norm f (masked mask x) j = Q2R k * (Q2R (coef mask j) * x j).
Proof. intros H E j. cbn [normok] in H. destruct (squares (dense f mask) t) as [q|] eqn:SQ; [|discriminate].
  destruct (pairs _ (canon q)) as [y|] eqn:PQ; [|discriminate]. split_and.
  match goal with H : Nat.eqb _ _ = true |- _ => apply Nat.eqb_eq in H; rename H into L end.
  set (e := atom (coded c) s bs p) in *.
  assert (SS : ss f (masked mask x) = Q2R y).
  { unfold ss, masked. rewrite (zipsum_ok f mask t x e (fun w y => w * y * (w * y)) L E), (squares_ok e _ _ eq_refl
    (atom2_sq _ _ _ _) q SQ).
    rewrite <- dot_canon. apply (pairs_ok e) with (3 := PQ); [reflexivity|]. intros. apply atom_unit; assumption. }
  assert (MZ : mean f (masked mask x) = 0) by (eapply mean_ok; eassumption).
  assert (CE : forall a, centred f (masked mask x) a = masked mask x a) by (intro; unfold centred; rewrite MZ; ring).
  match goal with H : Qeq_bool _ _ = true |- _ => apply eq_q in H; rewrite !Q2R_mult, INR_Q, <- SS in H; rename H into K end.
  match goal with H : Qle_bool 0 k = true |- _ => apply le0 in H; rename H into K0 end.
  assert (Pm : 0 < INR m) by (apply lt_0_INR; exact Hm). set (S2 := ss f (masked mask x)) in *.
  assert (0 < S2). { destruct (Rlt_dec 0 S2); [assumption|exfalso]. assert (Q2R k * Q2R k * S2 <= 0) by nra. lra. }
  unfold norm. replace (ss f (centred f (masked mask x))) with S2 by (unfold S2, ss, sumn; apply sumf_ext; intros a _; rewrite CE;
    reflexivity).
  rewrite CE, <- K, sqrt_mult by nra. rewrite sqrt_square by assumption. unfold masked. field. apply Rgt_not_eq, sqrt_lt_R0. assumption.
    Qed.
Lemma scaled_nth k mask (t : mat) j e : (j < m)%nat -> dot (nth j (znorm f c (dense f mask) (Scale k) t) nil) e = Q2R k * (Q2R
  (coef mask j) * dot (nth j t nil) e).
Proof. intro H. cbn [znorm]. rewrite <- (dense_nth mask j H).
  assert (L : (j < length (dense f mask))%nat) by (unfold dense; rewrite map_length, seq_length; exact H).
  clear H. revert t j L. induction (dense f mask) as [|w ws IH]; intros t j L; [cbn in L; lia|]. destruct t as [|r t].
  - cbn [combine map]. destruct j; cbn [nth dot]; ring.
  - destruct j as [|j]; cbn [combine map nth fst snd]; [rewrite dot_scl, qr, Q2R_mult; ring|]. apply IH. cbn in L. lia. Qed.

Lemma line_ok w r a b k s bs p : line w r = Some (a, b) -> Q2R w * dot r (atom k s bs p) = (Q2R a * INR p + Q2R b) / (INR p + 1).
Proof. intro H. pose proof (pos_INR p) as P. unfold line in H. destruct (Qeq_bool w 0) eqn:W.
  { apply zero_q in W. assert (a = 0%Q /\ b = 0%Q) as [-> ->] by (split; congruence). rewrite W, z0. field. lra. }
  destruct r as [|[i u] [|[j v] [|]]].
  - assert (a = 0%Q /\ b = 0%Q) as [-> ->] by (split; congruence). cbn [dot]. rewrite z0. field. lra.
  - destruct i as [|[|i]]; [| |discriminate].
    + assert (a = Qred (w * u) /\ b = Qred (w * u)) as [-> ->] by (split; congruence). cbn [dot atom]. rewrite !qr, Q2R_mult. field. lra.
    + assert (a = 0%Q /\ b = Qred (w * u)) as [-> ->] by (split; congruence). cbn [dot atom]. rewrite qr, Q2R_mult, z0. field. lra.
  - destruct i as [|[|i]]; [|discriminate|discriminate]. destruct j as [|[|j]]; try discriminate.
    assert (a = Qred (w * u) /\ b = Qred (w * (u + v))) as [-> ->] by (split; congruence). cbn [dot atom].
    rewrite !qr, !Q2R_mult, Q2R_plus. field. lra.
  - destruct i as [|[|i]]; try discriminate. destruct j as [|[|j]]; discriminate. Qed.
Lemma qsum_ok g : Q2R (qsum f g) = sumn m (fun i => Q2R (g i)).
Proof. unfold qsum, sumn. induction (seq 0 m) as [|i l IH]; [cbn; apply z0|]. cbn [fold_right sumf]. rewrite qr, Q2R_plus, IH.
  reflexivity. Qed.
Lemma direction_ok mask sc t s bs p x : normok f c (dense f mask) (Direction sc) bs t = true -> (forall i, (i < m)%nat ->
  x i = dot (nth i t nil) (atom (coded c) s bs p)) ->
  forall j, (j < m)%nat -> norm f (masked mask x) j = dot (nth j (znorm f c (dense f mask) (Direction sc) t) nil) (atom (coded c) s bs p).
Proof. intros H E j Hj. cbn [normok] in H. cbn [znorm]. unfold codingok in Hk. destruct (coded c) as [|L] eqn:CC; [discriminate|].
  apply pos_q in Hk. cbv zeta in H. split_and.
  match goal with H : same _ _ = true |- _ => apply same_ok in H; rename H into S0 end.
  match goal with H : Nat.eqb _ _ = true |- _ => apply Nat.eqb_eq in H; rename H into LT end.
  match goal with H : Qle_bool 0 sc = true |- _ => apply le0 in H; rename H into K0 end.
  match goal with H : negb (Qle_bool (qsum f _) 0) = true |- _ => apply pos_q in H; rename H into AA end.
  repeat match goal with H : Qeq_bool _ _ = true |- _ => apply eq_q in H; rewrite ?Q2R_mult, ?INR_Q in H end. rewrite !qsum_ok in *.
    rewrite z0 in *.
  set (a := fun i => fst (line_of (dense f mask) t i)) in *. set (b := fun i => snd (line_of (dense f mask) t i)) in *.
  assert (X : forall i, (i < m)%nat -> masked mask x i = (Q2R (a i) * INR p + Q2R (b i)) / (INR p + 1)).
  { intros i Hi. match goal with H : all m _ = true |- _ => pose proof (all_ok _ _ i H Hi) as LN end. cbv beta in LN.
    destruct (line_at (dense f mask) t i) as [[u v]|] eqn:LE; [|discriminate].
    unfold masked. rewrite E by assumption. unfold a, b, line_of. rewrite LE. cbn [fst snd]. unfold line_at in LE.
      rewrite dense_nth in LE by assumption. apply line_ok, LE. }
  assert (MZ : mean f (masked mask x) = 0) by (eapply mean_ok; eassumption).
  assert (mult : forall g h, sumn m (fun i => Q2R (g i * h i)) = sumn m (fun i => Q2R (g i) * Q2R (h i))) by (intros; apply sumf_ext;
    intros; apply Q2R_mult).
  rewrite !mult in *.
  rewrite (direction_in f (masked mask x) (fun i => Q2R (a i)) (fun i => Q2R (b i)) p (Q2R L) (Q2R sc)) by assumption.
  rewrite nth_map_seq by assumption. unfold a, b. destruct (line_of (dense f mask) t j) as [u v]. cbn [fst snd dot].
  pose proof (atom_code (Phi L) s bs p 0 0 ltac:(lia)) as A3. pose proof (atom_code (Phi L) s bs p 0 1 ltac:(lia)) as A4.
    change (3 + 4 * 0 + 0)%nat with 3%nat in A3. change (3 + 4 * 0 + 1)%nat with 4%nat in A4. rewrite A3, A4. unfold none in S0.
      rewrite S0, val_zero, Nat.sub_0_r. cbn [code]. rewrite !qr, Q2R_mult, Q2R_div, Q2R_mult.
  - field. lra.
  - intro Z. apply Qeq_eqR in Z. rewrite z0 in Z. lra. Qed.
Lemma silent_ok mask (t : mat) x e : length t = m -> forallb silent (combine (dense f mask) t) = true -> (forall i, (i < m)%nat ->
  x i = dot (nth i t nil) e) ->
  forall i, (i < m)%nat -> masked mask x i = 0.
Proof. intros L H E i Hi. unfold masked. rewrite E, <- (dense_nth mask i Hi) by exact Hi. rewrite forallb_forall in H.
  assert (N : nth i (combine (dense f mask) t) (0%Q, nil) = (nth i (dense f mask) 0%Q, nth i t nil)) by (apply combine_nth; unfold dense;
    rewrite map_length, seq_length; auto).
  assert (I : In (nth i (combine (dense f mask) t) (0%Q, nil)) (combine (dense f mask) t)).
  { apply nth_In. rewrite combine_length. unfold dense. rewrite map_length, seq_length, L, Nat.min_id. exact Hi. }
  rewrite N in I. specialize (H _ I). unfold silent in H. cbn [fst snd] in H. apply orb_true_iff in H as [H|H].
  - apply zero_q in H. rewrite H. ring.
  - apply isnil_ok in H. rewrite H. cbn [dot]. ring. Qed.
Lemma zero_ok (x : nat -> R) : (forall i, (i < m)%nat -> x i = 0) -> forall j, (j < m)%nat -> norm f x j = 0.
Proof. intros Z j Hj. assert (M0 : mean f x = 0).
  { unfold mean. destruct (ln f); [|reflexivity]. replace (sumn m x) with 0; [unfold Rdiv; ring|]. symmetry. unfold sumn.
    rewrite (sumf_ext x (fun _ => 0 * 0)) by (intros i I; apply in_seq in I; rewrite Z by lia; ring). rewrite sumf_scal. ring. }
  unfold norm, centred. rewrite M0, Z by exact Hj. ring. Qed.
(* the norm of forms, in all three cases *)
Theorem norm_ok mask n t s bs p x : normok f c (dense f mask) n bs t = true -> (forall i, (i < m)%nat ->
  x i = dot (nth i t nil) (atom (coded c) s bs p)) ->
  forall j, (j < m)%nat -> norm f (masked mask x) j = dot (nth j (znorm f c (dense f mask) n t) nil) (atom (coded c) s bs p).
Proof. intros H E j Hj. destruct n as [k|sc|].
  - rewrite (scale_ok mask k t s bs p x H E j), scaled_nth by exact Hj. rewrite <- E by exact Hj. reflexivity.
  - eapply direction_ok; eassumption.
  - cbn [normok] in H. split_and. match goal with H : Nat.eqb _ _ = true |- _ => apply Nat.eqb_eq in H; rename H into L end.
    rewrite zero_ok by (try exact Hj; apply (silent_ok mask t x (atom (coded c) s bs p)); assumption). cbn [znorm].
      destruct j; reflexivity. Qed.
End Norms.
