(* Layer normalisation of forms (MS25 Definition 2.2): if the sum of squares of the masked coordinates is one number, for all tokens, the
   norm is multiplication by a number; if they are multiples of numbers a p + b or a p + b v + d, it is the direction of (p, L) or
   (p, v, 1). *)
Require Import Reals Lra Lia Psatz ZArith QArith Qreals List Bool Arith ZifyNat.
From Logdepth Require Import Rows Model Statement Atoms Checker.
Import ListNotations.
Open Scope R_scope.
Ltac split_and := repeat match goal with H : (_ && _)%bool = true |- _ => apply andb_true_iff in H as [? ?] end.

Lemma atom_block k s bs p i x : (3 <= i)%nat -> ((i - 3) mod 4 + x < 4)%nat ->
  atom k s bs p (i + x) = component k s (block_at bs i) p ((i - 3) mod 4 + x).
Proof. intros L H. unfold block_at. rewrite <- (atom_at k s bs p _ _ H). f_equal.
  pose proof (Nat.div_mod (i - 3) 4 ltac:(lia)). lia. Qed.
Lemma atom_unit k s bs p i b : codingok k = true -> (3 <= i)%nat -> Nat.even (i - 3) = true -> block_at bs i = Code b ->
  atom k s bs p i * atom k s bs p i + atom k s bs p (S i) * atom k s bs p (S i) = 1.
Proof. intros K L E B. apply Nat.even_spec in E as [n E]. pose proof (Nat.mod_upper_bound (i - 3) 4 ltac:(lia)) as U.
  assert (A : ((i - 3) mod 4 = 0 \/ (i - 3) mod 4 = 2)%nat) by lia. clear E n U.
  pose proof (fun x => atom_block k s bs p i x L) as AB. rewrite B in AB. cbn [component] in AB.
  replace i with (i + 0)%nat by lia. replace (S (i + 0)) with (i + 1)%nat by lia.
  destruct A as [A|A]; rewrite !AB by lia; rewrite A; [apply unit_code, K|apply unit_code2]. Qed.
(* the squares of a direction's components, by their weights, sum to 1 *)
Fixpoint weighed (i : nat) (ns : list (number * Q)) (e : nat -> R) : R :=
  match ns with nil => 0 | x :: ns => Q2R (snd x) * e i + weighed (S i) ns e end.
Lemma weighed_ok k s bs p i ns : (3 <= i)%nat -> ((i - 3) mod 4 = 0)%nat -> block_at bs i = Direct ns -> placed (Direct ns) = true ->
  (length ns <= 4)%nat -> weighed i ns (fun j => atom k s bs p j * atom k s bs p j) = 1.
Proof. intros L M B P L4. pose proof (squared_pos ns s p P) as Q. pose proof (sqrt_sqrt _ (Rlt_le _ _ Q)) as SQ.
  pose proof (sqrt_lt_R0 _ Q) as R. set (r := sqrt (squared ns s p)) in *.
  assert (G : forall l x, (x + length l <= length ns)%nat -> (forall y, (y < length l)%nat -> nth_number ns (x + y) = nth_number l y) ->
    weighed (i + x) l (fun j => atom k s bs p j * atom k s bs p j) = squared l s p / (r * r)).
  { induction l as [|y l IH]; intros x H E; [unfold squared, Rdiv; cbn; ring|]. cbn [length] in H. cbn [weighed squared fold_right].
    replace (S (i + x)) with (i + S x)%nat by lia. rewrite IH; [|lia|].
    - rewrite atom_block by lia. rewrite M, B. cbn [component Nat.add]. unfold toward. fold r.
      pose proof (E 0%nat ltac:(cbn; lia)) as E0. rewrite Nat.add_0_r in E0. rewrite E0. unfold nth_number. cbn [nth]. fold (squared l s p).
      field. lra.
    - intros z Z. replace (S x + z)%nat with (x + S z)%nat by lia. rewrite E by (cbn; lia). reflexivity. }
  specialize (G ns 0%nat (le_n _) (fun y _ => eq_refl)). rewrite Nat.add_0_r in G. rewrite G, SQ. field. lra. Qed.
Lemma whole_ok v ns e : forall i q rest, whole i v ns q = Some rest -> dot q e = Q2R v * weighed i ns e + dot rest e.
Proof. induction ns as [|x ns IH]; intros i q rest H; cbn [whole weighed] in *; [assert (rest = q) by (destruct q; congruence); subst;
  ring|].
  destruct q as [|[j u] q]; [discriminate|]. destruct (_ && _)%bool eqn:C; [|discriminate]. split_and.
  match goal with H : Nat.eqb _ _ = true |- _ => apply Nat.eqb_eq in H; subst j end.
  match goal with H : Qeq_bool _ _ = true |- _ => apply eq_q in H; rewrite Q2R_mult in H; rename H into U end.
  cbn [dot]. rewrite (IH _ _ _ H), U. ring. Qed.
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
Lemma pairs_ok k s bs p : codingok k = true -> let e := atom k s bs p in
  forall n q x, pairs bs n q = Some x -> dot q (fun j => e j * e j) = Q2R x.
Proof. intros K e. induction n as [|n IH]; intros q x H.
  - destruct q; cbn [pairs] in H; [assert (x = 0%Q) by congruence; subst; cbn; rewrite z0; reflexivity|discriminate].
  - destruct q as [|[i v] q]; cbn [pairs] in H; [assert (x = 0%Q) by congruence; subst; cbn; rewrite z0; reflexivity|].
    assert (NX : forall y q', match pairs bs n q' with Some z => Some (y + z)%Q | None => None end = Some x ->
      Q2R x = Q2R y + dot q' (fun j => e j * e j)).
    { intros y q' N. destruct (pairs bs n q') as [z|] eqn:P; [|discriminate]. rewrite (IH _ _ P), <- Q2R_plus. congruence. }
    destruct (Nat.eqb_spec i 0) as [->|I0]; [rewrite (NX _ _ H); cbn [dot]; unfold e; cbn [atom]; ring|].
    destruct (Nat.ltb_spec i 3) as [|L]; [discriminate|]. destruct (block_at bs i) as [b|ns|c| |o d] eqn:B;
      [| |discriminate| |discriminate].
    + destruct q as [|[j w] q]; [discriminate|]. destruct (_ && _)%bool eqn:E in H; [|discriminate]. split_and. rewrite (NX _ _ H).
      repeat match goal with H : Nat.eqb _ _ = true |- _ => apply Nat.eqb_eq in H; subst
        | H : Qeq_bool _ _ = true |- _ => apply eq_q in H end. cbn [dot].
      match goal with H : Q2R v = Q2R w |- _ => rewrite H end.
      transitivity (Q2R w * (e i * e i + e (S i) * e (S i)) + dot q (fun j => e j * e j)); [ring|]. unfold e.
      rewrite (atom_unit k s bs p i b) by assumption. ring.
    + cbv zeta in H. destruct (_ && _)%bool eqn:E in H; [|discriminate]. split_and. destruct (whole _ _ _ _) as [q'|] eqn:W;
      [|discriminate].
      rewrite (NX _ _ H), (whole_ok _ _ _ _ _ _ W). unfold e. rewrite (weighed_ok k s bs p i ns) by (try assumption;
        try (apply Nat.eqb_eq; assumption); apply Nat.leb_le; assumption). ring.
    + destruct (Nat.eqb_spec ((i - 3) mod 4) 0) as [M|]; [|discriminate]. rewrite (NX _ _ H). cbn [dot]. f_equal.
      pose proof (atom_block k s bs p i 0 L) as A. rewrite !Nat.add_0_r, M, B in A. cbn [component] in A. unfold e. rewrite A by lia.
      destruct (Nat.even p); ring. Qed.
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
  destruct (pairs bs _ (canon q)) as [y|] eqn:PQ; [|discriminate]. split_and.
  match goal with H : Nat.eqb _ _ = true |- _ => apply Nat.eqb_eq in H; rename H into L end.
  set (e := atom (coded c) s bs p) in *.
  assert (SS : ss f (masked mask x) = Q2R y).
  { unfold ss, masked. rewrite (zipsum_ok f mask t x e (fun w y => w * y * (w * y)) L E), (squares_ok e _ _ eq_refl
    (atom2_sq _ _ _ _) q SQ).
    rewrite <- dot_canon. exact (pairs_ok (coded c) s bs p Hk _ _ _ PQ). }
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
Lemma scaled_nth k mask bs (t : mat) j e : (j < m)%nat -> dot (nth j (znorm f c (dense f mask) (Scale k) bs t) nil) e = Q2R k * (Q2R
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
  forall j, (j < m)%nat -> norm f (masked mask x) j = dot (nth j (znorm f c (dense f mask) (Direction sc) bs t) nil) (atom (coded c)
    s bs p).
Proof. intros H E j Hj. cbn [normok] in H. cbn [znorm]. unfold codingok in Hk. destruct (coded c) as [|L] eqn:CC; [discriminate|].
  apply pos_q in Hk. cbv zeta in H. split_and.
  match goal with H : same_place _ _ = true |- _ => apply same_place_ok in H; rename H into S0 end.
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
  pose proof (pos_INR p) as P0. pose proof (rad_pos (Q2R L) p Hk) as RP. pose proof (rad_sq (Q2R L) p Hk) as RS.
  rewrite (one_rho f (masked mask x) (fun i => Q2R (a i) * INR p + Q2R (b i)) (/ (INR p + 1)) (INR p * INR p + Q2R L * Q2R L) (Q2R sc));
    try assumption.
  2:{ apply Rinv_0_lt_compat. lra. }
  2:{ nra. }
  2:{ intros i Hi. rewrite X by exact Hi. field. lra. }
  - fold (rad (Q2R L) p). rewrite nth_map_seq by assumption. unfold a, b. destruct (line_of (dense f mask) t j) as [u v]. cbn [fst snd dot].
    pose proof (own_code (Phi L) s bs S0) as O. pose proof (O 0%nat p ltac:(lia)) as A3. pose proof (O 1%nat p ltac:(lia)) as A4.
    cbn [Nat.add code] in A3, A4. rewrite A3, A4, !qr, Q2R_mult, Q2R_div, Q2R_mult; [unfold ph0, ph1; field; lra|].
    intro Z. apply Qeq_eqR in Z. rewrite z0 in Z. lra.
  - set (A := sumn m (fun i => Q2R (a i) * Q2R (a i))).
    assert (AB : sumn m (fun i => Q2R (a i) * Q2R (b i)) = 0) by assumption.
    assert (BB : sumn m (fun i => Q2R (b i) * Q2R (b i)) = Q2R L * Q2R L * A) by assumption.
    assert (SA : Q2R sc * Q2R sc * A = INR m) by assumption.
    transitivity (Q2R sc * Q2R sc * (INR p * INR p * A + 2 * INR p * sumn m (fun i => Q2R (a i) * Q2R (b i)) +
      sumn m (fun i => Q2R (b i) * Q2R (b i)))).
    + f_equal. unfold A, sumn. rewrite <- !sumf_scal, <- !sumf_plus. apply sumf_ext. intros i _. ring.
    + rewrite AB, BB, <- SA. ring. Qed.
Lemma number_of_ok k s bs p r v a : number_of bs r = Some (v, a) -> dot r (atom k s bs p) = / (INR p + 1) * (Q2R a * number_at v s p).
Proof. pose proof (pos_INR p) as P. intro H. destruct r as [|[[|[|[|i]]] u] [|[[|[|j]] w] [|]]]; try discriminate; cbn [number_of] in H.
  - assert (v = Once /\ a = 0%Q) as [-> ->] by (split; congruence). cbn [dot]. rewrite z0. ring.
  - destruct (Qeq_bool (u + w) 0) eqn:E; [|discriminate]. apply eq_q in E. rewrite Q2R_plus, z0 in E.
    assert (v = Position /\ a = u) as [-> ->] by (split; congruence). cbn [dot atom number_at]. replace (Q2R w) with (- Q2R u) by lra.
      field.
    lra.
  - assert (v = Once /\ a = u) as [-> ->] by (split; congruence). cbn [dot atom number_at]. ring.
  - destruct (nth (i / 4) bs own) as [| |c'| |] eqn:B; try discriminate. destruct (Nat.eqb_spec (i mod 4) 0) as [M|]; [|discriminate].
    assert (v = Count c' /\ a = u) as [-> ->] by (split; congruence). cbn [dot atom number_at]. rewrite B. cbn [component]. field. lra. Qed.
Lemma ratio_ok u v q s p : ratio_of u v = Some q -> number_at u s p = Q2R q * number_at v s p.
Proof. assert (SAME : (if number_dec u v then Some 1%Q else None) = Some q -> number_at u s p = Q2R q * number_at v s p).
  { destruct (number_dec u v) as [->|]; [|discriminate]. intro H. assert (E : q = 1%Q) by congruence. rewrite E. unfold Q2R. cbn. lra. }
  destruct u as [|k|k| |k], v as [|n|n| |n]; cbn [ratio_of]; try exact SAME. clear SAME. cbn [number_at].
  destruct (Nat.eqb_spec n 0) as [|N]; [discriminate|]. intro H.
  assert (E : q = (inject_Z (Z.of_nat k) / inject_Z (Z.of_nat n))%Q) by congruence.
  assert (NZ : INR n <> 0) by (apply not_0_INR; exact N). rewrite E, Q2R_div, !INR_Q, !mult_INR.
  - field. exact NZ.
  - intro Z. apply Qeq_eqR in Z. rewrite INR_Q, z0 in Z. contradiction. Qed.
Lemma toward_ok mask from block sc t s bs p x : normok f c (dense f mask) (Toward from block sc) bs t = true ->
  (forall i, (i < m)%nat -> x i = dot (nth i t nil) (atom (coded c) s bs p)) -> forall j, (j < m)%nat ->
  norm f (masked mask x) j = dot (nth j (znorm f c (dense f mask) (Toward from block sc) bs t) nil) (atom (coded c) s bs p).
Proof. intros H E j Hj. cbn [normok] in H. cbn [znorm]. destruct (nth block bs own) as [|ns| | |] eqn:B; try discriminate. split_and.
  match goal with H : Nat.eqb _ _ = true |- _ => apply Nat.eqb_eq in H; rename H into LT end.
  match goal with H : Qle_bool 0 sc = true |- _ => apply le0 in H; rename H into K0 end.
  match goal with H : Nat.leb _ _ = true |- _ => apply Nat.leb_le in H; rename H into L4 end.
  match goal with H : all m _ = true |- _ => pose proof (fun i X => all_ok _ _ i H X) as A; clear H; cbv beta in A end.
  match goal with H : match from with Some _ => _ | None => _ end = true |- _ => rename H into HF end.
  match goal with H : placed (Direct ns) = true |- _ => pose proof (squared_pos ns s p H) as SP end.
  match goal with H : eqr _ _ = true |- _ => rename H into G end.
  assert (MZ : mean f (masked mask x) = 0) by (eapply mean_ok; eassumption). pose proof (pos_INR p) as PP.
  set (at_ := at_component from ns bs (dense f mask) t) in *.
  set (y := fun i => Q2R (snd (at_ i)) * number_at (nth_number ns (fst (at_ i))) s p).
  assert (AC : forall i, (i < m)%nat -> component_of from ns bs (coef mask i) (nth i t nil) = Some (at_ i) /\
    (Q2R (snd (at_ i)) = 0 \/ (fst (at_ i) < length ns)%nat)).
  { intros i Hi. specialize (A i Hi). unfold at_, at_component. destruct (component_at from ns bs (dense f mask) t i) as [[u a]|] eqn:C;
      [|discriminate]. unfold component_at in C. rewrite dense_nth in C by exact Hi. split; [exact C|]. cbn [fst snd].
    apply orb_true_iff in A as [A|A]; [left; apply zero_q, A|right; apply Nat.ltb_lt, A]. }
  assert (X : exists q, 0 < q /\ forall i, (i < m)%nat -> masked mask x i = q * y i).
  { destruct from as [k|].
    - destruct (nth k bs own) as [|old| | |] eqn:BK; try discriminate. pose proof (squared_pos old s p HF) as SO.
      exists (/ sqrt (squared old s p)). split; [apply Rinv_0_lt_compat, sqrt_lt_R0, SO|]. intros i Hi. destruct (AC i Hi) as [C _].
      unfold masked, y. rewrite E by exact Hi. cbv beta iota delta [component_of] in C. destruct (Qeq_bool (coef mask i) 0) eqn:W.
      { apply zero_q in W. replace (at_ i) with (0%nat, 0%Q) by congruence. cbn [snd]. rewrite W, z0. ring. }
      rewrite BK in C. destruct (nth i t nil) as [|[l v] [|]] eqn:R; try discriminate.
      { replace (at_ i) with (0%nat, 0%Q) by congruence. cbn [dot snd]. rewrite z0. ring. }
      cbv zeta in C. destruct (_ && _)%bool eqn:LL in C; [|discriminate]. apply andb_true_iff in LL as [L1 L2].
      apply Nat.leb_le in L1. apply Nat.ltb_lt in L2. set (z := (l - (3 + 4 * k))%nat) in *.
      destruct (ratio_of _ _) as [g|] eqn:RO; [|discriminate]. pose proof (ratio_ok _ _ _ s p RO) as RG.
      replace (at_ i) with (z, (coef mask i * v * g)%Q) by congruence. cbn [dot fst snd].
      replace l with (3 + 4 * k + z)%nat by lia. rewrite atom_at, BK by exact L2. cbn [component]. unfold toward. rewrite RG, !Q2R_mult.
      field. apply Rgt_not_eq, sqrt_lt_R0, SO.
    - exists (/ (INR p + 1)). split; [apply Rinv_0_lt_compat; lra|]. intros i Hi. destruct (AC i Hi) as [C CL].
      unfold masked, y. rewrite E by exact Hi. cbv beta iota delta [component_of] in C. destruct (Qeq_bool (coef mask i) 0) eqn:W.
      { apply zero_q in W. replace (at_ i) with (0%nat, 0%Q) by congruence. cbn [snd]. rewrite W, z0. ring. }
      destruct (number_of bs (nth i t nil)) as [[v a]|] eqn:N; [|discriminate].
      replace (at_ i) with (first_of v ns, (coef mask i * a)%Q) in * by congruence. cbn [fst snd] in *.
      rewrite (number_of_ok _ _ _ _ _ _ _ N), Q2R_mult in *. destruct CL as [CL|CL].
      + transitivity (/ (INR p + 1) * (Q2R (coef mask i) * Q2R a * number_at v s p)); [ring|]. rewrite CL. ring.
      + rewrite (first_of_in v ns CL). ring. }
  destruct X as (q & Q0 & X).
  assert (SQ : Q2R sc * Q2R sc * sumn m (fun i => y i * y i) = INR m * squared ns s p).
  { set (e := fun z => number_at (nth_number ns z) s p * number_at (nth_number ns z) s p).
    assert (TW : forall z, e (twinned ns z) = e z).
    { intro z. unfold e, twinned. cbn [twin]. destruct (Nat.ltb_spec z (length ns)) as [Z|]; [|reflexivity].
      rewrite (proj1 (first_of_ok ns z Z)). reflexivity. }
    pose proof (eqr_ok _ _ e G) as D. unfold sumn. rewrite <- sumf_scal. unfold squared.
    transitivity (dot (map (fun i => let (x, a) := at_ i in (twinned ns x, (sc * a * (sc * a))%Q)) (seq 0 m)) e).
    - generalize (seq 0 m). induction l as [|i l IH]; [reflexivity|]. cbn [sumf fold_right map]. unfold sumf in IH. rewrite IH. unfold y.
      destruct (at_ i) as [u a]. cbn [dot fst snd]. rewrite TW, !Q2R_mult. unfold e. ring.
    - rewrite D. clear - TW. assert (I : forall l k, (forall z, (z < length l)%nat -> nth (k + z) ns (Once, 0%Q) = nth z l (Once, 0%Q)) ->
        dot (map (fun x => (twinned ns x, (inject_Z (Z.of_nat m) * snd (nth x ns (Once, 0)))%Q)) (seq k (length l))) e =
        INR m * fold_right (fun x a => Q2R (snd x) * (number_at (fst x) s p * number_at (fst x) s p) + a) 0 l).
      { induction l as [|z l IH]; intros k N; [cbn; ring|]. cbn [length seq map dot fold_right fst snd].
        rewrite IH by (intros w W; specialize (N (S w) ltac:(cbn; lia)); rewrite Nat.add_succ_r in N; exact N).
        pose proof (N 0%nat ltac:(cbn; lia)) as N0. rewrite Nat.add_0_r in N0. rewrite N0, TW, Q2R_mult, INR_Q. unfold e, nth_number.
        rewrite N0. cbn [nth]. ring. }
      apply (I ns 0%nat). reflexivity. }
  rewrite (one_rho f (masked mask x) y q (squared ns s p) (Q2R sc)) by assumption.
  rewrite nth_map_seq by exact Hj. destruct (AC j Hj) as [_ CL]. fold (at_ j). unfold y. destruct (at_ j) as [u a]. cbn [fst snd dot] in *.
  rewrite qr, Q2R_mult. destruct CL as [CL|CL]; [rewrite CL; unfold Rdiv; ring|].
  rewrite atom_at, B by lia. cbn [component]. unfold toward. field. apply Rgt_not_eq, sqrt_lt_R0, SP. Qed.
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
Lemma odd_ok mask high low parity sc t s bs p x : normok f c (dense f mask) (Odd high low parity sc) bs t = true ->
  (forall i, (i < m)%nat -> x i = dot (nth i t nil) (atom (coded c) s bs p)) -> forall j, (j < m)%nat ->
  norm f (masked mask x) j = dot (nth j (znorm f c (dense f mask) (Odd high low parity sc) bs t) nil) (atom (coded c) s bs p).
Proof. intros H E j Hj. cbn [normok] in H. cbn [znorm]. destruct (nth high bs own) as [| | | |[|[|]] [|[|[|]]]] eqn:BH; try discriminate.
  destruct (nth low bs own) as [| | | |[|] [|[|[|]]]] eqn:BL; try discriminate. destruct (nth parity bs own) eqn:BP; try discriminate.
    split_and.
  match goal with H : Nat.eqb _ _ = true |- _ => apply Nat.eqb_eq in H; rename H into LT end.
  match goal with H : Qle_bool 0 sc = true |- _ => apply le0 in H; rename H into K0 end.
  match goal with H : all m _ = true |- _ => pose proof (fun i X => all_ok _ _ i H X) as A; clear H; cbv beta in A end.
  match goal with H : Qeq_bool _ _ = true |- _ => apply eq_q in H; rewrite !Q2R_mult, qsum_ok, INR_Q in H; rename H into SQ end.
  assert (MZ : mean f (masked mask x) = 0) by (eapply mean_ok; eassumption).
  set (y := fun i => Q2R (jump (dense f mask) t high i)).
  set (hi := code (coded c) 0 ((p + 1) / 2)). set (lo := code (coded c) 0 ((p + 0) / 2)).
  assert (X : forall i, (i < m)%nat -> masked mask x i = (hi - lo) * y i).
  { intros i Hi. specialize (A i Hi). unfold masked, y, jump. rewrite E, Q2R_mult by exact Hi. rewrite dense_nth in * by exact Hi.
    apply orb_true_iff in A as [A|A]; [apply zero_q in A; rewrite A; ring|]. rewrite (eqr_ok _ _ _ A). cbn [dot]. rewrite Q2R_opp.
    pose proof (atom_at (coded c) s bs p high 0 ltac:(lia)) as AH. pose proof (atom_at (coded c) s bs p low 0 ltac:(lia)) as AL.
    rewrite Nat.add_0_r, BH in AH. rewrite Nat.add_0_r, BL in AL. cbn [component] in AH, AL. rewrite AH, AL. fold hi lo. ring. }
  rewrite nth_map_seq by exact Hj. cbn [dot atom]. rewrite !qr, Q2R_opp, Q2R_div, Q2R_mult by discriminate. fold (y j).
  replace (Q2R 2) with 2 by (unfold Q2R; simpl; lra).
  pose proof (atom_at (coded c) s bs p parity 0 ltac:(lia)) as AP. rewrite Nat.add_0_r, BP in AP. cbn [component] in AP. rewrite AP.
  destruct (Nat.even p) eqn:EV.
  - apply Nat.even_spec in EV as [n EV]. assert (N : hi = lo).
    { unfold hi, lo. f_equal. subst p. rewrite Nat.add_0_r. replace (2 * n + 1)%nat with (1 + n * 2)%nat by lia.
      rewrite Nat.div_add by lia. replace (2 * n)%nat with (n * 2)%nat by lia. rewrite Nat.div_mul by lia. reflexivity. }
    rewrite zero_ok by (try exact Hj; intros i Hi; rewrite X, N by exact Hi; ring). field.
  - assert (OD : Nat.odd p = true) by (rewrite <- Nat.negb_even, EV; reflexivity). apply Nat.odd_spec in OD as [n OD].
    assert (N : lo < hi).
    { unfold lo, hi. apply rising_order; try assumption. subst p. replace (2 * n + 1 + 0)%nat with (1 + n * 2)%nat by lia.
      replace (2 * n + 1 + 1)%nat with (0 + (n + 1) * 2)%nat by lia. rewrite !Nat.div_add by lia. cbn. lia. }
    rewrite (one_rho f (masked mask x) y (hi - lo) 1 (Q2R sc)) by (try assumption; try lra;
      match goal with |- _ * sumn m _ = _ => rewrite Rmult_1_r; rewrite <- SQ; f_equal; apply sumf_ext; intros i _; unfold y;
        rewrite Q2R_mult; reflexivity end).
    rewrite sqrt_1. field. Qed.
(* the norm of forms, in all cases *)
Theorem norm_ok mask n t s bs p x : normok f c (dense f mask) n bs t = true -> (forall i, (i < m)%nat ->
  x i = dot (nth i t nil) (atom (coded c) s bs p)) ->
  forall j, (j < m)%nat -> norm f (masked mask x) j = dot (nth j (znorm f c (dense f mask) n bs t) nil) (atom (coded c) s bs p).
Proof. intros H E j Hj. destruct n as [k|sc|from block sc|high low parity sc|].
  - rewrite (scale_ok mask k t s bs p x H E j), scaled_nth by exact Hj. rewrite <- E by exact Hj. reflexivity.
  - eapply direction_ok; eassumption.
  - eapply toward_ok; eassumption.
  - eapply odd_ok; eassumption.
  - cbn [normok] in H. split_and. match goal with H : Nat.eqb _ _ = true |- _ => apply Nat.eqb_eq in H; rename H into L end.
    rewrite zero_ok by (try exact Hj; apply (silent_ok mask t x (atom (coded c) s bs p)); assumption). cbn [znorm].
      destruct j; reflexivity. Qed.
End Norms.

(* The read-outs of a stream that a stage describes: verdict and prefix read-out of a token with a known label. *)

Lemma eqn_ok a b : eqn a b = true -> a = b.
Proof. unfold eqn. destruct (nats_dec a b); [auto|discriminate]. Qed.
Section ReadOut.
Variables (f : file) (c : cert) (X : automaton) (rd : reading) (word : list nat) (t : stage) (a : nat) (s : env).
Notation m := (width (net f)).
Hypothesis Ha : (a < Checker.size c)%nat.
Definition described p := forall i, (i < m)%nat -> stream f word p i = dot (nth i (token f t a) nil) (atom (coded c) s (shifts t) p).
Theorem verdict_of : readok f c X t = true -> described (length word) ->
  if nth (ph c a) (accepting X) false then accepts f word else rejects f word.
Proof. intros R FS. unfold readok in R. split_and. match goal with H : all _ _ = true |- _ => pose proof (all_ok _ _ _ H Ha) as Q end.
  cbv beta zeta in Q. split_and.
  set (d := canon (subst (uacc f) (token f t a) ++ scl (-1) (subst (urej f) (token f t a)))) in *.
  assert (MG : margin f word = Q2R (coef d 0)).
  { unfold margin. set (e := atom (coded c) s (shifts t) (length word)) in *.
    rewrite (dot_subst m (uacc f) (token f t a) _ e) by assumption. rewrite (dot_subst m (urej f) (token f t a) _ e) by assumption.
    rewrite <- (isconst_dot d e) by (auto; reflexivity). unfold d. rewrite dot_canon, dot_app, dot_scl.
    replace (Q2R (-1)) with (-1) by (unfold Q2R; simpl; lra). ring. }
  unfold accepts, rejects. rewrite MG. unfold fn in *. destruct (nth (ph c a) (accepting X) false); [apply pos_q | apply neg_q];
    assumption. Qed.
Theorem prefix_of p g : prefixok f c rd t = true -> described p -> (g < length (groups rd))%nat ->
  says f word (nth g (groups rd) nil) p (meant rd g (act c a) (ph c a)).
Proof. intros R FS Hg. pose proof (all_ok _ _ _ R Ha) as Q. cbv beta zeta in Q. pose proof (all_ok _ _ _ Q Hg) as G. cbv beta in G.
  set (Gr := nth g (groups rd) nil) in *. set (ta := token f t a) in *. unfold groupok in G. cbv zeta in G.
  apply andb_true_iff in G as [FA EX].
  apply existsb_exists in EX as (i & I & S). apply in_seq in I. apply andb_true_iff in S as [V S]. exists i. split; [lia|].
  split; [apply eqn_ok, V|].
  assert (LG : forall j, (j < length Gr)%nat -> nth j (map (logit f ta) Gr) (true, 0%Q) = logit f ta (nth j Gr norow)).
  { intros j J. rewrite (nth_indep _ (true, 0%Q) (logit f ta norow)) by (rewrite map_length; exact J). apply map_nth. }
  assert (VA : forall j, (j < length Gr)%nat -> dot (fst (nth j Gr norow)) (stream f word p) = Q2R (snd (logit f ta (nth j Gr norow)))).
  { intros j J. rewrite forallb_forall in FA. specialize (FA _ (in_map (logit f ta) _ _ (nth_In Gr norow J))). unfold logit in FA.
    cbv zeta in FA. cbn [fst] in FA. split_and.
    rewrite (dot_subst m (fst (nth j Gr norow)) ta (stream f word p) (atom (coded c) s (shifts t) p)) by assumption.
    rewrite <- dot_canon. unfold logit. cbv zeta. cbn [snd]. apply isconst_dot; [reflexivity|assumption]. }
  intros j J N. rewrite !VA by lia. pose proof (all_ok _ _ j S J) as O. cbv beta in O.
  apply orb_true_iff in O as [O|O]; [apply Nat.eqb_eq in O; contradiction|]. rewrite !LG in O by lia. apply lt_q, O. Qed.
End ReadOut.
