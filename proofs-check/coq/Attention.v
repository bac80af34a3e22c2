(* Averaging-hard attention (MS25 Definition 2.1) of forms: a head whose scores are those of a code selects one token, at a shift that the
   checker reads off the query; a head without queries averages over everything visible. *)
Require Import Reals Lra Lia Psatz ZArith QArith Qreals List Bool Arith ZifyNat.
From Logdepth Require Import Rows Model Atoms Checker Norms.
Import ListNotations.
Open Scope R_scope.

Lemma filter_single {A} (g : A -> bool) l e : NoDup l -> In e l -> (forall j, In j l -> (g j = true <-> j = e)) -> filter g l = [e].
Proof. intros N I H. induction l as [|a l IH]; [destruct I|]. inversion N; subst. cbn [filter]. destruct (g a) eqn:G.
  - assert (a = e) by (apply H; simpl; auto). subst. f_equal.
    assert (Z : forall l', (forall j, In j l' -> g j = false) -> filter g l' = []).
    { induction l' as [|b l' IH']; intro K; [reflexivity|]. cbn [filter]. rewrite (K b) by (simpl; auto). apply IH'.
      intros; apply K; simpl; auto. }
    apply Z. intros j J. destruct (g j) eqn:K; [|reflexivity]. assert (j = e) by (apply H; simpl; auto). subst. contradiction.
  - destruct I as [->|I]; [assert (g e = true) by (apply H; simpl; auto); congruence|]. apply IH; auto. intros j J. apply H. simpl; auto.
    Qed.
Lemma argmax_single s l e : NoDup l -> In e l -> (forall j, In j l -> j <> e -> s j < s e) -> argmax s l = [e].
Proof. intros N I H. apply filter_single; auto. intros j J. split.
  - intro F. destruct (Nat.eq_dec j e) as [|K]; [assumption|]. rewrite forallb_forall in F. specialize (F e I). unfold leb in F.
    destruct (Rle_dec _ _); [|discriminate]. specialize (H j J K). lra.
  - intros ->. apply forallb_forall. intros k K. unfold leb. destruct (Rle_dec _ _) as [|C]; [reflexivity|]. exfalso. apply C.
    destruct (Nat.eq_dec k e) as [->|D]; [lra|]. specialize (H k K D). lra. Qed.

(* the scores of a code: the own code at e, less back, against the code of j *)
Definition bent (K : coding) (g : Q) (back : nat) : R := match K with Phi L => - (INR back / Q2R L * Q2R g) | Written _ => 0 end.
Definition fits (K : coding) (h : Q) (back : nat) : Prop :=
  match K with Written Circle => Q2R h = 0 /\ back = 0%nat | Written TwoCircle => 0 < Q2R h /\ back = 0%nat
  | Written (Fine _) => Q2R h = 0 /\ back = 0%nat | Phi _ => Q2R h = 0 end.
Definition cscore (K : coding) (g h : Q) (back e j : nat) : R :=
  (Q2R g * code K 0 e + bent K g back * code K 1 e) * code K 0 j + Q2R g * code K 1 e * code K 1 j + Q2R h * code K 2 e * code K 2 j +
    Q2R h * code K 3 e * code K 3 j.
Theorem code_match K g h back e j : codingok K = true -> 0 < Q2R g -> fits K h back -> j <> (e - back)%nat ->
  cscore K g h back e j < cscore K g h back e (e - back).
Proof. intros OK G H N. unfold cscore, fits, bent in *. destruct K as [[| |b]|L].
  - destruct H as [H ->]. rewrite Nat.sub_0_r in *. cbn [code kc]. pose proof (kappa_match (T e) (T j) (T_inj _ _ (not_eq_sym N))) as K.
    pose proof (kappa_unit (T e)) as U.
    unfold kdot in *. fold (kx e) (kx j) (ky e) (ky j) in *. rewrite H. nra.
  - destruct H as [H ->]. rewrite Nat.sub_0_r in *. cbn [code kc].
    set (l := Nat.log2 (S e)). set (k := Nat.log2 (S j)).
    pose proof (kappa_le (T e / 2 ^ l) (T j / 2 ^ k)) as A. pose proof (kappa_le (INR l + 1) (INR k + 1)) as B.
    pose proof (kappa_unit (T e / 2 ^ l)) as U1. pose proof (kappa_unit (INR l + 1)) as U2. unfold kdot in *.
    assert (X : cx (T e / 2 ^ l) * cx (T j / 2 ^ k) + cy (T e / 2 ^ l) * cy (T j / 2 ^ k) < 1 \/ cx (INR l + 1) * cx (INR k + 1) + cy
      (INR l + 1) * cy (INR k + 1) < 1).
    { destruct (Nat.eq_dec l k) as [E|D].
      - left. apply kappa_match. intro X. apply (T_inj j e N). rewrite <- E in X. assert (0 < 2 ^ l) by (apply pow_lt; lra).
        apply Rmult_eq_reg_r with (/ 2 ^ l); [symmetry; exact X|]. apply Rinv_neq_0_compat. lra.
      - right. apply kappa_match. intro X. apply D, INR_eq. lra. }
    destruct X; nra.
  - destruct H as [H ->]. rewrite Nat.sub_0_r in *. cbn [code kc].
    assert (D : 2 * INR e + INR b <> 2 * INR j + INR b) by (intro E; apply N, INR_eq; lra).
    pose proof (kappa_match _ _ D) as K. pose proof (kappa_unit (2 * INR e + INR b)) as U. unfold kdot in *. rewrite H. nra.
  - apply pos_q in OK. pose proof (phi_back (Q2R L) back e j OK N) as P. unfold pscore in P. cbn [code]. rewrite H.
    replace ((Q2R g * ph0 (Q2R L) e + - (INR back / Q2R L * Q2R g) * ph1 (Q2R L) e) * ph0 (Q2R L) j + Q2R g * ph1 (Q2R L) e * ph1
      (Q2R L) j + 0 * 1 * 1 + 0 * 0 * 0)
      with (Q2R g * ((ph0 (Q2R L) e - INR back / Q2R L * ph1 (Q2R L) e) * ph0 (Q2R L) j + ph1 (Q2R L) e * ph1 (Q2R L) j)) by ring.
    replace ((Q2R g * ph0 (Q2R L) e + - (INR back / Q2R L * Q2R g) * ph1 (Q2R L) e) * ph0 (Q2R L) (e - back) + Q2R g * ph1
      (Q2R L) e * ph1 (Q2R L) (e - back) + 0 * 1 * 1 + 0 * 0 * 0)
      with (Q2R g * ((ph0 (Q2R L) e - INR back / Q2R L * ph1 (Q2R L) e) * ph0 (Q2R L) (e - back) + ph1 (Q2R L) e * ph1 (Q2R L)
        (e - back))) by ring.
    apply Rmult_lt_compat_l; assumption. Qed.

(* scores of forms *)
Lemma score_forms m (qs ks : mat) zp zj x y (P Q : mat) : matin m qs = true -> matin m ks = true ->
  (forall i, (i < m)%nat -> zp i = dot (nth i P nil) x) -> (forall i, (i < m)%nat -> zj i = dot (nth i Q nil) y) ->
  score qs ks zp zj = score (forms qs P) (forms ks Q) x y.
Proof. intros HQ HK Ep Ej. revert ks HK. induction qs as [|q qs IH]; intros [|k ks] HK; try reflexivity. cbn [matin forallb] in HQ, HK.
  split_and.
  cbn [forms map score]. rewrite !dot_canon. rewrite <- (dot_subst m q P zp x), <- (dot_subst m k Q zj y) by assumption. f_equal.
    apply IH; assumption. Qed.
Lemma key_dot r y : keyrow r = true -> dot r y = Q2R (coef r 3) * y 3%nat + Q2R (coef r 4) * y 4%nat + Q2R (coef r 5) * y 5%nat + Q2R
  (coef r 6) * y 6%nat.
Proof. induction r as [|[i v] r IH]; intro H; [cbn; rewrite z0; ring|]. cbn [keyrow forallb fst] in H. apply andb_true_iff in H as [A H].
  apply andb_true_iff in A as [A B].
  apply Nat.leb_le in A. apply Nat.ltb_lt in B. rewrite !coef_cons. cbn [dot]. rewrite IH by exact H.
  assert (C : i = 3%nat \/ i = 4%nat \/ i = 5%nat \/ i = 6%nat) by lia. destruct C as [->|[->|[->| ->]]]; cbn [Nat.eqb]; ring. Qed.
Lemma against_ok (qs ks : mat) x y : forallb keyrow ks = true ->
  score qs ks x y = dot (against qs ks 3) x * y 3%nat + dot (against qs ks 4) x * y 4%nat + dot (against qs ks 5) x * y 5%nat + dot
    (against qs ks 6) x * y 6%nat.
Proof. revert ks. induction qs as [|q qs IH]; intros [|k ks] H; try (cbn; ring). cbn [forallb] in H. apply andb_true_iff in H as [A H].
  cbn [score]. rewrite (IH ks H), (key_dot k y A).
  unfold against. cbn [combine flat_map fst snd]. rewrite !dot_app, !dot_scl. ring. Qed.
Lemma scores_ok c (s : env) bs p block b back sc sc2 (qs ks : mat) : codingok (coded c) = true -> scores c block back sc sc2 qs ks = true ->
  forallb keyrow ks = true -> nth 0 bs own = own -> nth block bs own = Code b ->
  forall j, j <> (p - val s b - back)%nat ->
  score qs ks (atom (coded c) s bs p) (atom (coded c) s bs j) <
  score qs ks (atom (coded c) s bs p) (atom (coded c) s bs (p - val s b - back)).
Proof. intros OK H KR S0 B j Hj. set (e := (p - val s b)%nat) in *. unfold scores in H. cbv zeta in H. split_and.
  assert (G : 0 < Q2R sc) by (apply pos_q; assumption).
  assert (F : fits (coded c) sc2 back).
  { unfold fits. destruct (coded c) as [[| |]|L]; split_and; repeat match goal with H : Nat.eqb _ _ = true |- _ => apply Nat.eqb_eq in H |
    H : Qeq_bool _ _ = true |- _ => apply eq_q in H; rewrite z0 in H | H : negb (Qle_bool sc2 0) = true |- _ => apply pos_q in H end;
      auto. }
  assert (S : forall i, score qs ks (atom (coded c) s bs p) (atom (coded c) s bs i) = cscore (coded c) sc sc2 back e i).
  { intro i. rewrite against_ok by assumption. set (a := atom (coded c) s bs p).
    repeat match goal with H : eqr _ _ = true |- _ => rewrite (eqr_ok _ _ a H); clear H end. cbn [dot].
    assert (A : forall x, (x < 4)%nat -> a (3 + 4 * block + x)%nat = code (coded c) x e) by (intros; unfold a;
      rewrite atom_at by assumption; rewrite B; reflexivity).
    pose proof (A 0%nat ltac:(lia)) as A0. rewrite Nat.add_0_r in A0. rewrite A0, !A by lia.
    pose proof (own_code (coded c) s bs S0) as O. pose proof (O 0%nat i ltac:(lia)) as O0. pose proof (O 1%nat i ltac:(lia)) as O1.
    pose proof (O 2%nat i ltac:(lia)) as O2. pose proof (O 3%nat i ltac:(lia)) as O3. cbn [Nat.add] in O0, O1, O2, O3.
    rewrite O0, O1, O2, O3. unfold cscore, bent. destruct (coded c) as [en|L] eqn:CC; [rewrite z0; ring|]. unfold codingok in OK.
    apply pos_q in OK. rewrite Q2R_opp, Q2R_mult, Q2R_div, INR_Q; [ring|]. intro Z. apply Qeq_eqR in Z. rewrite z0 in Z. lra. }
  rewrite !S. apply code_match; assumption. Qed.
(* Lemma behind: a positive multiple of (p - b s - c, L) selects position p - (b s + c), or 0 before it *)
Lemma behind_ok c (s : env) bs p block b sc w w1 w2 ns (qs ks : mat) : codingok (coded c) = true -> (1 <= s)%nat ->
  scores_behind c block b sc qs ks = true -> forallb keyrow ks = true -> nth 0 bs own = own ->
  nth block bs own = Direct ((Position, w) :: (Times 1, w1) :: (Once, w2) :: ns) -> placed (nth block bs own) = true -> good b = true ->
  forall j, j <> (p - val s b)%nat ->
  score qs ks (atom (coded c) s bs p) (atom (coded c) s bs j) <
  score qs ks (atom (coded c) s bs p) (atom (coded c) s bs (p - val s b)).
Proof. intros OK Hs H KR S0 B PL GB j Hj. unfold scores_behind in H. cbv zeta in H. destruct (coded c) as [|L] eqn:CC; [discriminate|].
  unfold codingok in OK. apply pos_q in OK. split_and.
  match goal with H : negb _ = true |- _ => apply pos_q in H; rename H into G end.
  set (k := val s b) in *. rewrite B in PL. pose proof (sqrt_lt_R0 _ (squared_pos _ s p PL)) as N.
  set (n := sqrt (squared _ s p)) in N. pose proof (rad_pos (Q2R L) p OK) as R.
  assert (S : forall i, score qs ks (atom (Phi L) s bs p) (atom (Phi L) s bs i) = Q2R sc * rad (Q2R L) p / n * pscore (Q2R L) k p i).
  { intro i. rewrite against_ok by assumption. set (a := atom (Phi L) s bs p).
    repeat match goal with H : eqr _ _ = true |- _ => rewrite (eqr_ok _ _ a H); clear H end. cbn [dot].
    assert (A : forall x, (x < 4)%nat -> a (3 + 4 * block + x)%nat = number_at (nth_number ((Position, w) :: (Times 1, w1) :: (Once, w2)
      :: ns) x) s p / n)
      by (intros; unfold a; rewrite atom_at by assumption; rewrite B; reflexivity).
    pose proof (A 0%nat ltac:(lia)) as A0. pose proof (A 1%nat ltac:(lia)) as A1. pose proof (A 2%nat ltac:(lia)) as A2.
    replace (3 + 4 * block + 0)%nat with (3 + 4 * block)%nat in A0 by lia.
    replace (3 + 4 * block + 1)%nat with (S (3 + 4 * block)) in A1 by lia.
    replace (3 + 4 * block + 2)%nat with (S (S (3 + 4 * block))) in A2 by lia. rewrite A0, A1, A2.
    pose proof (own_code (Phi L) s bs S0) as O. pose proof (O 0%nat i ltac:(lia)) as O0. pose proof (O 1%nat i ltac:(lia)) as O1.
    cbn [Nat.add code] in O0, O1. rewrite O0, O1. unfold nth_number. cbn [nth fst number_at]. rewrite Nat.mul_1_l.
    rewrite !Q2R_mult, !Q2R_opp.
    assert (K : INR k = Q2R (inject_Z (fst b)) * INR s + Q2R (inject_Z (snd b))).
    { pose proof (good_pos s b Hs GB) as P. assert (Q : forall z, Q2R (inject_Z z) = IZR z).
      { intro z. unfold Q2R, inject_Z. cbn [Qnum Qden]. rewrite RMicromega.Rinv_1. reflexivity. }
      unfold k, val. rewrite !Q, !INR_IZR_INZ, Z2Nat.id, plus_IZR, mult_IZR by exact P. reflexivity. }
    unfold pscore. rewrite K. generalize (ph0 (Q2R L) i) (ph1 (Q2R L) i). intros u v. unfold ph0, ph1. field. repeat split; lra. }
  rewrite !S. apply Rmult_lt_compat_l; [apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat; assumption|exact N]|].
  apply phi_back; assumption. Qed.

Section Attention.
Variables (f : file) (c : cert) (word : list nat) (y : layerw) (n1 : normc) (s : env) (bs bs' : list place) (lab : nat ->
  nat) (ts : list mat) (h : nat -> nat -> R).
Notation m := (width (net f)). Notation M := (size c). Notation K := (coded c).
Hypothesis Hm : (0 < m)%nat.
Hypothesis Hk : codingok K = true.
Hypothesis Hs : (1 <= s)%nat.
Hypothesis Hbs : goods bs = true.
Hypothesis Hlab : forall p, (lab p < M)%nat.
Hypothesis Hlen : length ts = M.
Hypothesis Hnorm : forall a, (a < M)%nat -> normok f c (dense f (amask y)) n1 bs (nth a ts nil) = true.
Hypothesis Hh : forall p i, (i < m)%nat -> h p i = dot (nth i (nth (lab p) ts nil) nil) (atom K s bs p).
Definition zs := map (znorm f c (dense f (amask y)) n1 bs) ts.
Definition z j := norm f (masked (amask y) (h j)).
Lemma z_ok p i : (i < m)%nat -> z p i = dot (nth i (nth (lab p) zs nil) nil) (atom K s bs p).
Proof. intro Hi. unfold z, zs. rewrite (nth_indep _ nil (znorm f c (dense f (amask y)) n1 bs nil)) by (rewrite map_length, Hlen;
  apply Hlab). rewrite map_nth.
  apply norm_ok; auto. Qed.
Lemma nth_zs {A} (g : mat -> A) a d : (a < M)%nat -> nth a (map g zs) d = g (nth a zs nil).
Proof. intro H. rewrite (nth_indep _ d (g nil)) by (unfold zs; rewrite !map_length, Hlen; exact H). apply map_nth. Qed.
Definition selected (hc : headc) (p : nat) : nat := match reach bs hc with Some b => lab (p - val s b) | None => 0%nat end.
Lemma values_ok d j i : matin m (hv d) = true -> (i < m)%nat ->
  dot (nth i (ho d) nil) (fun r => dot (nth r (hv d) nil) (z j)) = dot (nth i (values f d (nth (lab j) zs nil)) nil) (atom K s bs j).
Proof. intros H Hi. unfold values. cbv zeta. rewrite nth_map_seq by exact Hi. rewrite dot_canon. apply dot_subst_all. intro r.
  rewrite forms_nth.
  apply (dot_subst m); [apply matin_nth; exact H|]. intros k L. apply z_ok, L. Qed.
Lemma moveall_ok by' t i p : good by' = true -> movable by' bs bs' t = true ->
  dot (nth i (moveall by' bs bs' t) nil) (atom K s bs' p) = dot (nth i t nil) (atom K s bs (p - val s by')).
Proof. intros G H. unfold moveall. revert i. induction t as [|r t IH]; intros [|i]; try reflexivity; cbn [movable forallb] in H;
  apply andb_true_iff in H as [A H]; cbn [map nth].
  - destruct (move by' bs bs' r) as [r'|] eqn:E; [|discriminate]. eapply move_ok; eassumption.
  - apply IH, H. Qed.
Lemma average_zero l : average (fun _ => 0) l = 0.
Proof. unfold average. replace (sumf (fun _ => 0) l) with 0; [unfold Rdiv; ring|]. symmetry. induction l as [|a l E]; [reflexivity|].
  cbn [sumf fold_right]. unfold sumf in E. rewrite E. ring. Qed.
Lemma average_dot r (g : nat -> nat -> R) l : dot r (fun i => average (g i) l) = average (fun j => dot r (fun i => g i j)) l.
Proof. induction r as [|[i v] r IH]; cbn [dot]; [symmetry; apply average_zero|]. rewrite IH. unfold average.
  rewrite sumf_plus, sumf_scal. unfold Rdiv. ring. Qed.
Lemma sumf_one n : forall a, sumf (fun _ => 1) (seq a n) = INR n.
Proof. induction n as [|k E]; intro a; [reflexivity|]. cbn [seq sumf fold_right]. specialize (E (S a)). unfold sumf in E.
  rewrite E, S_INR. ring. Qed.
Lemma averaged_ok r p : forallb (fun e => Nat.eqb (fst e) 0 || Nat.eqb (fst e) 2)%bool r = true ->
  average (fun j => dot r (atom K s bs j)) (seq 0 (S p)) = dot (averaged r) (atom K s bs' p).
Proof. induction r as [|[i v] r IH]; intro H.
  - cbn [averaged map dot]. apply average_zero.
  - cbn [forallb fst] in H. apply andb_true_iff in H as [A H]. specialize (IH H).
    assert (AV : average (fun j => dot ((i, v) :: r) (atom K s bs j)) (seq 0 (S p)) = Q2R v * average (fun j => atom K s bs j i) (seq 0
      (S p)) + average (fun j => dot r (atom K s bs j)) (seq 0 (S p))).
    { unfold average. cbn [dot]. rewrite sumf_plus, sumf_scal. unfold Rdiv. ring. }
    rewrite AV, IH. unfold averaged. cbn [map dot fst snd]. f_equal. f_equal.
      apply orb_true_iff in A as [A|A]; apply Nat.eqb_eq in A; subst i.
    + cbn [atom]. unfold average. rewrite seq_length. replace (sumf (fun _ => 1) (seq 0 (S p))) with (INR (S p)); [field;
      apply not_0_INR; lia|].
      symmetry. apply sumf_one.
    + cbn [atom]. apply mean_first. Qed.
Lemma seq_in p e : (e <= p)%nat -> In e (seq 0 (S p)).
Proof. intro. apply in_seq. lia. Qed.
Lemma nil_scores (qs ks : mat) x e : forallb isnil qs = true -> score qs ks x e = 0.
Proof. revert ks. induction qs as [|q qs IH]; intros [|k ks] H; try reflexivity. cbn [forallb] in H. apply andb_true_iff in H as [A H].
  apply isnil_ok in A. subst. cbn [score dot]. rewrite IH by exact H. ring. Qed.
Lemma nil_nth (t : mat) i : forallb isnil t = true -> nth i t nil = nil.
Proof. intro H. destruct (nth_in_or_default i t nil) as [I|E]; [|exact E]. rewrite forallb_forall in H. apply isnil_ok, H, I. Qed.
Lemma head_ok hc d p i : headok f c bs bs' hc d zs = true -> (i < m)%nat ->
  attend f (tokens word) y h d p i = dot (nth i (headout f bs bs' hc d (nth (selected hc p) zs nil)) nil) (atom K s bs' p).
Proof. intros H Hi. unfold headok in H. cbv zeta in H. split_and. unfold attend. cbv zeta.
  fold (z p).
  assert (SF : forall j, score (hq d) (hk d) (z p) (z j) = score (forms (hq d) (nth (lab p) zs nil)) (forms (hk d) (nth (lab j) zs nil))
    (atom K s bs p) (atom K s bs j)).
  { intro j. apply (score_forms m); try assumption; intros; apply z_ok; assumption. }
  assert (ONE : forall by' fits, onlyok c bs bs' by' fits d (map (forms (hq d)) zs) (map (forms (hk d)) zs) (map (values f d) zs) = true ->
    (forall qs ks, fits qs ks = true -> forallb keyrow ks = true -> nth 0 bs own = own -> good by' = true ->
      forall j, j <> (p - val s by')%nat ->
      score qs ks (atom K s bs p) (atom K s bs j) < score qs ks (atom K s bs p) (atom K s bs (p - val s by'))) ->
    dot (nth i (ho d) nil) (fun r => average (fun j => dot (nth r (hv d) nil) (z j))
      (argmax (fun j => score (hq d) (hk d) (z p) (z j)) (visible (tokens word) (causal d) p))) =
    dot (nth i (moveall by' bs bs' (values f d (nth (lab (p - val s by')) zs nil))) nil) (atom K s bs' p)).
  { intros by' fits O F. unfold onlyok in O. split_and. match goal with H : causal d = true |- _ => rewrite H end. unfold visible.
    match goal with H : same_place _ _ = true |- _ => apply same_place_ok in H; rename H into S0 end.
    match goal with H : all M (fun a => (_ && fits _ _)%bool) = true |- _ => pose proof (fun a X => all_ok _ _ a H X) as SC; clear H;
      cbv beta in SC end.
    match goal with H : all M (fun a => movable _ _ _ _) = true |- _ => pose proof (fun a X => all_ok _ _ a H X) as MV; clear H;
      cbv beta in MV end.
    set (e := (p - val s by')%nat) in *. assert (M0 : (0 < M)%nat) by (pose proof (Hlab 0); lia).
    assert (SC' : forall a, (a < M)%nat -> fits (forms (hq d) (nth a zs nil)) (forms (hk d) (nth 0 zs nil)) = true /\
      forms (hk d) (nth a zs nil) = forms (hk d) (nth 0 zs nil)).
    { intros a X. specialize (SC a X). rewrite !nth_zs in SC by assumption. split_and. split; [assumption|]. unfold same_mat in *.
      destruct (mat_dec _ _) as [E|]; [exact E|discriminate]. }
    match goal with H : forallb keyrow _ = true |- _ => rewrite nth_zs in H by assumption; rename H into KR end.
    rewrite (argmax_single _ _ e).
    - unfold average. cbn [sumf fold_right length INR]. rewrite moveall_ok.
      + fold e. rewrite <- values_ok by assumption. apply dot_ext_all. intro r. fold (z e). field.
      + assumption.
      + specialize (MV (lab e) (Hlab e)). rewrite nth_zs in MV by apply Hlab. exact MV.
    - apply seq_NoDup.
    - apply seq_in. unfold e. lia.
    - intros j _ Hj. fold (z j) (z e). rewrite !SF. rewrite (proj2 (SC' (lab j) (Hlab j))), (proj2 (SC' (lab e) (Hlab e))).
      apply F; auto. apply (SC' (lab p) (Hlab p)). }
  destruct hc as [block back sc sc2|block b sc| |]; split_and; unfold selected; cbn [reach headout].
  - destruct (nth block bs own) as [b| | | |] eqn:B; try discriminate. apply (ONE _ (scores c block back sc sc2)); [assumption|].
    intros qs ks SC KR S0 G. pose proof (scores_ok c s bs p block b back sc sc2 qs ks Hk SC KR S0 B) as P.
    assert (E : (p - val s (by_ bs block back))%nat = (p - val s b - back)%nat).
    { unfold by_, shift_at in *. rewrite B in *. pose proof (goods_nth bs block Hbs) as GB. rewrite B in GB.
      rewrite val_plus; [unfold val at 2; cbn [fst snd]; lia | assumption | exact GB | unfold good; cbn [fst snd];
        apply andb_true_iff; split; apply Z.leb_le; lia]. }
    rewrite E. exact P.
  - assert (BA : block_at bs (3 + 4 * block) = nth block bs own).
    { unfold block_at. replace (3 + 4 * block - 3)%nat with (block * 4)%nat by lia. rewrite Nat.div_mul by lia. reflexivity. }
    rewrite BA in *. clear BA. destruct (nth block bs own) as [|[|[[] w] [|[[|[|[|]]| | |] w1] [|[[] w2] ns]]]| | |] eqn:B;
      try discriminate.
    split_and. apply (ONE _ (scores_behind c block b sc)); [assumption|]. intros. eapply behind_ok; try eassumption. rewrite B. assumption.
  - clear ONE. match goal with H : causal d = true |- _ => rewrite H end. unfold visible.
    match goal with H : all M _ = true |- _ => pose proof (fun a X => all_ok _ _ a H X) as U; clear H; cbv beta in U end.
    assert (M0 : (0 < M)%nat) by (pose proof (Hlab 0); lia).
    assert (U' : forall a, (a < M)%nat -> forallb isnil (forms (hq d) (nth a zs nil)) = true /\
      values f d (nth a zs nil) = values f d (nth 0 zs nil)).
    { intros a X. specialize (U a X). rewrite !nth_zs in U by assumption. split_and. split; [assumption|]. unfold same_mat in *.
      destruct (mat_dec _ _) as [E|]; [exact E|discriminate]. }
    rewrite (argmax_uniform _ 0) by (intros j _; fold (z j); rewrite SF; apply nil_scores; apply U', Hlab).
    transitivity (average (fun j => dot (nth i (ho d) nil) (fun r => dot (nth r (hv d) nil) (z j))) (seq 0 (S p))).
    + apply (average_dot _ (fun r j => dot (nth r (hv d) nil) (z j))).
    + transitivity (average (fun j => dot (nth i (values f d (nth 0 zs nil)) nil) (atom K s bs j)) (seq 0 (S p))).
      * unfold average. f_equal. apply sumf_ext. intros j _. rewrite values_ok by assumption. rewrite (proj2 (U' (lab j) (Hlab j))).
        reflexivity.
      * match goal with H : forallb (forallb _) _ = true |- _ => rewrite nth_zs in H by assumption; rename H into V end.
        rewrite averaged_ok.
        -- symmetry. f_equal. exact (map_nth averaged (values f d (nth 0 zs nil)) nil i).
        -- destruct (nth_in_or_default i (values f d (nth 0 zs nil)) nil) as [I|E]; [|rewrite E; reflexivity].
          rewrite forallb_forall in V. apply V, I. 
  - clear ONE. match goal with H : all M _ = true |- _ => pose proof (fun a X => all_ok _ _ a H X) as U; clear H; cbv beta in U end.
    transitivity (average (fun j => dot (nth i (ho d) nil) (fun r => dot (nth r (hv d) nil) (z j)))
      (argmax (fun j => score (hq d) (hk d) (z p) (z j)) (visible (tokens word) (causal d) p))).
    + apply (average_dot _ (fun r j => dot (nth r (hv d) nil) (z j))).
    + transitivity (average (fun _ => 0) (argmax (fun j => score (hq d) (hk d) (z p) (z j)) (visible (tokens word) (causal d) p))).
      * unfold average. f_equal. apply sumf_ext. intros j _. rewrite values_ok by assumption. specialize (U (lab j) (Hlab j)).
        rewrite nth_zs in U by apply Hlab.
        rewrite (nil_nth _ i U). reflexivity.
      * rewrite average_zero. destruct i; reflexivity. Qed.
(* a layer without heads adds nothing *)
Lemma attention_nil p i : heads y = nil -> movable none bs bs' (nth (lab p) ts nil) = true -> (i < m)%nat ->
  attention f (tokens word) y h p i = dot (nth i (after f (moveall none bs bs' (nth (lab p) ts nil)) nil) nil) (atom K s bs' p).
Proof. intros N HM Hi. unfold after, attention. rewrite N, nth_map_seq by exact Hi. cbn [flat_map fold_right].
  rewrite dot_canon, dot_app, (moveall_ok none) by (auto; reflexivity). rewrite val_zero, Nat.sub_0_r, <- Hh by exact Hi. cbn [dot].
    ring. Qed.
Lemma attention_ok (hcs : list headc) p i : length hcs = length (heads y) ->
  forallb (fun hd => headok f c bs bs' (fst hd) (snd hd) zs) (combine hcs (heads y)) = true ->
  movable none bs bs' (nth (lab p) ts nil) = true -> (i < m)%nat ->
  attention f (tokens word) y h p i = dot (nth i (after f (moveall none bs bs' (nth (lab p) ts nil))
    (map (fun hd => headout f bs bs' (fst hd) (snd hd) (nth (selected (fst hd) p) zs nil)) (combine hcs (heads y)))) nil) (atom K s bs' p).
Proof. intros HL HH HM Hi. unfold after. rewrite nth_map_seq by exact Hi.
  rewrite dot_canon, dot_app, (moveall_ok none) by (auto; reflexivity).
  rewrite val_zero, Nat.sub_0_r, <- Hh by exact Hi. unfold attention. clear HM. revert hcs HL HH.
    induction (heads y) as [|d ds IH]; intros [|hc hcs] HL HH; try discriminate; [cbn; ring|].
  cbn [combine forallb fst snd] in HH. apply andb_true_iff in HH as [A B]. cbn [fold_right combine map flat_map fst snd].
    rewrite dot_app, (IH hcs) by (auto; cbn in HL; lia).
  rewrite (head_ok hc d p i A Hi). rewrite <- Rplus_assoc, (Rplus_comm _ (h p i)), Rplus_assoc. reflexivity. Qed.
End Attention.
