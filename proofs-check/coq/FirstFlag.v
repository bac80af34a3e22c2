(* The three facts that first-flag files need: the uniform head, the direction of (p, L),
  the match of phi codes with shift and clamp. *)
Require Import Reals Lra Lia Psatz List Bool Arith. From Logdepth Require Import Codes Rows Model. Import ListNotations.
Open Scope R_scope.
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
