(* Which code is nearest to a fraction: a head whose query is a positive multiple of (x, 1), where x is a little more than a count divided
   by m, selects the position that is the quotient, rounded down. *)
Require Import Reals Lra Lia Psatz ZArith QArith Qreals List Bool Arith. From Logdepth Require Import Codes Rows Model FirstFlag Atoms.
Import ListNotations.
Open Scope R_scope.

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
