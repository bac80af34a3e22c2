(* The theorem of counting programs (C-RASP): if countcheck f G c computes to true, the file accepts exactly what the program G accepts, for
   every admissible word. *)
Require Import Reals Lra Lia Psatz ZArith QArith Qreals List Bool Arith ZifyNat.
From Logdepth Require Import Codes Rows Model Statement Settle FirstFlag Atoms Floors Checker Norms Attention Layers ReadOut ResetsChecker
  Classes CountingChecker.
Import ListNotations.
Open Scope R_scope.

Lemma last_nth (l : list nat) : forall x, length l = S x -> last l 0%nat = nth x l 0%nat.
Proof. induction l as [|a l IH]; intros x X; [discriminate|]. destruct l as [|b l]; [destruct x; [reflexivity|discriminate]|].
  destruct x as [|x]; [discriminate|]. apply IH. cbn in *. lia. Qed.
Section Counting.
Set Default Proof Using "All".
Variables (f : file) (G : counting) (word : list nat).
Notation m := (width (net f)). Notation K := (Written Circle).
Hypothesis Hm : (0 < m)%nat.
Hypothesis Hemb : (1 < length (emb f))%nat.
Hypothesis Hword : admissible f word.

(* the classes of a token, at the end; a comparison does not change earlier ones *)
Definition history := compared G (comparisons G) (fun p => [kind word p]).
Definition cls (d p : nat) : nat := nth d (history p) 0%nat.
Notation tallied i := (nth i (tallies G) (0%nat, nil)).
Definition count (i p : nat) : nat := tally (tallied i) history p.
Lemma compared_keeps ks : forall h n, (forall p, length (h p) = S n) -> forall p i, (i <= n)%nat ->
  nth i (compared G ks h p) 0%nat = nth i (h p) 0%nat.
Proof. induction ks as [|k ks IH]; intros h n L p i H; [reflexivity|]. cbn [compared]. rewrite (IH _ (S n)) by (try lia; intro q;
  rewrite app_length, L; cbn; lia). apply app_nth1. rewrite L. lia. Qed.
Lemma tally_ext t h h' p : (forall q, nth (fst t) (h q) 0%nat = nth (fst t) (h' q) 0%nat) -> tally t h p = tally t h' p.
Proof. intro E. induction p as [|p IH]; [reflexivity|]. cbn [tally]. rewrite IH, E. reflexivity. Qed.
Definition early (n : nat) (k : comparison) := forallb (fun s => Nat.leb (fst (tallied (fst s))) n) (summands k).
Lemma sum_ext k h h' n p : early n k = true -> (forall q i, (i <= n)%nat -> nth i (h q) 0%nat = nth i (h' q) 0%nat) ->
  sum G k h p = sum G k h' p.
Proof. unfold early, sum. intros E H. induction (summands k) as [|s l IH]; [reflexivity|]. cbn [forallb] in E.
  apply andb_true_iff in E as [A B]. apply Nat.leb_le in A. cbn [fold_right]. rewrite (IH B). do 3 f_equal. apply tally_ext. intro q.
  apply H, A. Qed.
Lemma compared_step ks : forall h n, (forall p, length (h p) = S n) -> forall j k, nth_error ks j = Some k -> early (n + j) k = true ->
  let H := compared G ks h in forall p,
  nth (S (n + j)) (H p) 0%nat = nth (sign (sum G k H p)) (nth (nth (n + j) (H p) 0%nat) (turns k) nil) 0%nat.
Proof. induction ks as [|k0 ks IH]; intros h n L j k N E H p; [destruct j; discriminate|].
  set (h' := fun p => h p ++ [nth (sign (sum G k0 h p)) (nth (last (h p) 0) (turns k0) nil) 0]%nat).
  assert (L' : forall p, length (h' p) = S (S n)) by (intro q; unfold h'; rewrite app_length, L; cbn; lia).
  change (H p) with (compared G ks h' p). destruct j as [|j]; cbn [nth_error] in N.
  - assert (k0 = k) by congruence. subst k0. rewrite Nat.add_0_r in *.
    rewrite (sum_ext k H h n) by (try exact E; intros q i I; apply (compared_keeps (k :: ks)) with n; assumption).
    rewrite !(compared_keeps ks h' (S n) L') by lia. unfold h'. rewrite app_nth2, app_nth1 by (rewrite L; lia). rewrite L, Nat.sub_diag.
    cbn [nth]. do 3 f_equal. apply last_nth, L.
  - replace (n + S j)%nat with (S n + j)%nat in * by lia. exact (IH h' (S n) L' j k N E p). Qed.
Lemma compared_length ks : forall h n, (forall p, length (h p) = S n) -> forall p, length (compared G ks h p) = S (n + length ks).
Proof. induction ks as [|k ks IH]; intros h n L p; cbn [compared length]; [rewrite Nat.add_0_r; apply L|].
  rewrite (IH _ (S n)) by (intro q; rewrite app_length, L; cbn; lia). lia. Qed.
Lemma cls_0 p : cls 0 p = kind word p.
Proof. exact (compared_keeps (comparisons G) (fun p => [kind word p]) 0 (fun _ => eq_refl) p 0 (le_n _)). Qed.
Lemma cls_step d k p : nth_error (comparisons G) d = Some k -> early d k = true ->
  cls (S d) p = turn k (cls d p) (sign (sum G k history p)).
Proof. intros N E. exact (compared_step (comparisons G) (fun p => [kind word p]) 0 (fun _ => eq_refl) d k N E p). Qed.
Lemma verdict_cls : verdict G word = nth (cls (length (comparisons G)) (length word)) (verdicts G) false.
Proof. unfold verdict, cls, history. f_equal. apply last_nth.
  exact (compared_length (comparisons G) (fun p => [kind word p]) 0 (fun _ => eq_refl) (length word)). Qed.
Lemma count_0 i : count i 0 = 0%nat.
Proof. reflexivity. Qed.
(* at position p: <begin> alone has class 0 *)
Definition inside (d n : nat) := (forall p, (cls d p < n)%nat) /\ cls d 0 = 0%nat /\ forall p, cls d (S p) <> 0%nat.
Lemma kind_in p : (kind word p < length (emb f))%nat.
Proof. destruct p as [|p]; unfold kind; cbn [nth]; [lia|]. rewrite (map_nth S word 0%nat). pose proof (proj1 Hword) as W.
  destruct (nth_in_or_default p word 0%nat) as [I|E]; [rewrite Forall_forall in W; specialize (W _ I); lia|rewrite E; lia]. Qed.
Lemma inside_0 : inside 0 (length (emb f)).
Proof. split; [intro p; rewrite cls_0; apply kind_in|]. split; [rewrite cls_0; reflexivity|]. intros p E. rewrite cls_0 in E. unfold
  kind in E.
  cbn [nth] in E. rewrite (map_nth S word 0%nat) in E. discriminate. Qed.
Lemma complete d t : inside d (classes_of t) -> forall P p, edges (at_stage G d t) P = true -> P (cls d p) (cls d (S p)) = true.
Proof. intros (I & _ & _) P p H. unfold edges in H. pose proof (all_ok _ _ _ H (I p)) as A. cbv beta in A. cbn [edge at_stage] in A.
  rewrite (nth_indep _ nil (seq 0 (classes_of t))), nth_repeat in A by (rewrite repeat_length; apply I).
  rewrite forallb_forall in A. apply A, in_seq. specialize (I (S p)). lia. Qed.
Lemma count_next d t i p : current (at_stage G d t) i = true ->
  count i (S p) = (count i p + weight (at_stage G d t) i (cls d (S p)))%nat.
Proof. unfold current, weight, count. cbn [counters at_stage tally].
  set (g := fun x : nat * list nat => if Nat.eqb (fst x) d then snd x else nil).
  pose proof (map_nth g (tallies G) (0%nat, nil) i) as N. replace (g (0%nat, nil)) with (@nil nat) in N by (unfold g; cbn [fst snd];
    destruct (Nat.eqb 0 d); reflexivity). rewrite N. unfold g. destruct (Nat.eqb_spec (fst (tallied i)) d) as [E|]; [|discriminate].
      intros _. rewrite E. reflexivity. Qed.
Notation Ev := (ev count).
Definition known (d : nat) (t : stage) (h : nat -> nat -> R) :=
  forall p i, (i < m)%nat -> h p i = dot (nth i (token f t (cls d p)) nil) (atom K Ev (shifts t) p).

(* the sum at a token *)
Lemma count_all i p : Nat.eqb (fst (tallied i)) 0 = true -> all (length (emb f) - 1) (fun a => Nat.eqb (nth (S a) (snd (tallied i))
  0%nat) 1)
  = true -> count i p = p.
Proof. intros F A. apply Nat.eqb_eq in F. unfold count. induction p as [|p IH]; [reflexivity|]. cbn [tally]. rewrite IH, F.
  fold (cls 0 (S p)). rewrite cls_0. pose proof (kind_in (S p)) as KI. destruct (kind word (S p)) as [|a] eqn:E.
  - destruct (proj2 (proj2 inside_0) p). rewrite cls_0. exact E.
  - pose proof (all_ok _ _ a A ltac:(lia)) as W. cbv beta in W. apply Nat.eqb_eq in W. rewrite W. lia. Qed.
Lemma inject z : Q2R (inject_Z z) = IZR z.
Proof. unfold Q2R, inject_Z. cbn [Qnum Qden]. field. Qed.
Lemma summand_ok bs s x p : summand_row f G bs s = Some x -> dot x (atom K Ev bs p) = IZR (snd s) * INR (count (fst s) p) / (INR p + 1).
Proof. intro H. pose proof (pos_INR p) as P. unfold summand_row in H. cbv zeta in H. destruct (find (Share (fst s)) bs 0) as [j|] eqn:F.
  - assert (x = [(3 + 4 * j, inject_Z (snd s))]%nat) by congruence. subst. apply find_ok in F as [N _]. rewrite Nat.sub_0_r in N.
    pose proof (atom_at K Ev bs p j 0 ltac:(lia)) as A. rewrite Nat.add_0_r, N in A. cbn [dot]. rewrite A, inject. cbn [component
      counts ev].
    field. lra.
  - destruct (_ && _)%bool eqn:W; [|discriminate]. apply andb_true_iff in W as [W0 W1].
    assert (x = [(0, inject_Z (snd s)); (1, - inject_Z (snd s))]%nat%Q) by congruence. subst. cbn [dot atom].
    rewrite (count_all _ p W0 W1), Q2R_opp, inject. field. lra. Qed.
Lemma sum_row_ok bs k p : sum_row f G bs k <> nil -> dot (sum_row f G bs k) (atom K Ev bs p) = IZR (sum G k history p) / (INR p + 1).
Proof. intro H. pose proof (pos_INR p) as P. unfold sum_row in *. destruct (summands_row f G bs (summands k)) as [x|] eqn:E; [|destruct (H
  eq_refl)]. clear H. rewrite dot_canon. cbn [dot atom]. rewrite inject. unfold sum. revert x E.
  induction (summands k) as [|s l IH]; intros x E; cbn [summands_row] in E; [assert (x = nil) by congruence; subst; cbn [dot fold_right];
    field; lra|].
  destruct (summand_row f G bs s) as [a|] eqn:S; [|discriminate]. destruct (summands_row f G bs l) as [b|]; [|discriminate].
  assert (x = a ++ b) by congruence. subst. specialize (IH b eq_refl). rewrite dot_app, (summand_ok _ _ _ p S). cbn [fold_right].
  rewrite plus_IZR, mult_IZR, <- INR_IZR_INZ. unfold count in *. lra. Qed.
Lemma possible_ok k p d : cls d 0 = 0%nat -> (forall p, cls d (S p) <> 0%nat) ->
  existsb (Nat.eqb (sign (sum G k history p))) (possible k (cls d p)) = true.
Proof. intros Z L. unfold possible. destruct p as [|p].
  - rewrite Z. cbn [Nat.eqb orb existsb]. replace (sum G k history 0) with (rest k); [rewrite Nat.eqb_refl; reflexivity|].
    unfold sum. induction (summands k) as [|s l IH]; [reflexivity|]. cbn [fold_right]. rewrite IH at 1. cbn [tally]. lia.
  - destruct (Nat.eqb_spec (cls d (S p)) 0) as [E|_]; [destruct (L p E)|]. cbn [orb]. unfold sum. destruct (summands k) as [|s l] eqn:SK.
    { cbn [fold_right existsb]. rewrite Nat.eqb_refl. reflexivity. }
    rewrite <- SK. destruct (Z.eqb_spec (rest k mod divisor (summands k)) 0) as [|N].
    { set (z := fold_right _ _ _). destruct z; reflexivity. }
    assert (D : forall l, ((divisor l | fold_right (fun s a => snd s * Z.of_nat (tally (tallied (fst s)) history (S p)) + a) 0 l))%Z).
    { clear. intro l. assert (X : forall l a, (a | divisor l)%Z -> (a | fold_right (fun s a => snd s * Z.of_nat (tally (tallied (fst s))
        history (S p)) + a) 0 l)%Z).
      { clear. induction l as [|s l IH]; intros a A; [apply Z.divide_0_r|]. cbn [fold_right divisor] in *. apply Z.divide_add_r.
        - apply Z.divide_mul_l. eapply Z.divide_trans; [exact A|apply Z.gcd_divide_l].
        - apply IH. eapply Z.divide_trans; [exact A|apply Z.gcd_divide_r]. }
      apply X, Z.divide_refl. }
    specialize (D (summands k)).
    assert (S : fold_right (fun s a => snd s * Z.of_nat (tally (tallied (fst s)) history (S p)) + a)%Z (rest k) (summands k) =
      (fold_right (fun s a => snd s * Z.of_nat (tally (tallied (fst s)) history (S p)) + a) 0 (summands k) + rest k)%Z).
    { clear. induction (summands k) as [|s l IH]; [reflexivity|]. cbn [fold_right]. rewrite IH. ring. }
    rewrite S. set (z := fold_right _ 0%Z _) in *. destruct (z + rest k)%Z as [|x|x] eqn:E; try reflexivity.
    exfalso. apply N. replace (rest k) with (- z)%Z by lia. destruct D as [y D]. rewrite D, Z.mul_comm, <- Z.mul_opp_r, Z.mul_comm.
    destruct (Z.eq_dec (divisor (summands k)) 0) as [Q|Q]; [rewrite Q; rewrite Zmod_0_r; lia|]. apply Z.mod_mul, Q. Qed.

Lemma sign_norm bs mask t2 k s y p : let x := sum_row f G bs k in let e := atom K Ev bs p in signnorm f (dense f mask) t2 x s = true ->
  x <> nil -> (forall i, (i < m)%nat -> y i = dot (nth i t2 nil) e) -> forall i, (i < m)%nat ->
  norm f (masked mask y) i = dot (nth i (signed f (dense f mask) t2 x s (sign (sum G k history p))) nil) e.
Proof. intros x e H X Y i Hi. unfold signnorm in H. split_and. set (ws := dense f mask) in *.
  match goal with H : Nat.eqb _ _ = true |- _ => apply Nat.eqb_eq in H; rename H into L end.
  match goal with H : Qle_bool 0 s = true |- _ => apply le0 in H; rename H into S0 end.
  match goal with H : all m _ = true |- _ => rename H into A end.
  match goal with H : Qeq_bool _ _ = true |- _ => apply eq_q in H; rewrite !Q2R_mult, qsum_ok, INR_Q in H; rename H into SQ end.
  set (u := fun i => Q2R (multiple ws t2 x i)). set (g := dot x e).
  assert (MU : forall i, (i < m)%nat -> masked mask y i = g * u i).
  { intros j Hj. pose proof (all_ok _ _ j A Hj) as E. cbv beta in E. apply (fun H => eqr_ok _ _ e H) in E. rewrite !dot_scl in E.
    unfold masked.
    rewrite Y by exact Hj. unfold ws in E at 1. rewrite dense_nth in E by exact Hj. rewrite E. unfold u, g. ring. }
  assert (MZ : mean f (masked mask y) = 0) by (eapply mean_ok; eassumption).
  assert (GV : g = IZR (sum G k history p) / (INR p + 1)) by (apply sum_row_ok, X). pose proof (pos_INR p) as P.
  assert (SU : Q2R s * Q2R s * sumn m (fun i => u i * u i) = INR m * 1).
  { rewrite Rmult_1_r, <- SQ. f_equal. apply sumf_ext. intros j _. unfold u. rewrite Q2R_mult. reflexivity. }
  unfold signed. rewrite nth_map_seq by exact Hi. cbn [dot atom]. rewrite qr, !Q2R_mult. change (Q2R (multiple ws t2 x i)) with (u i).
    change (e 0%nat) with 1.
  set (z := sum G k history p) in *. destruct z as [|z|z]; cbn [sign direction_of].
  - rewrite zero_ok by (try assumption; intros j Hj; rewrite MU, GV by exact Hj; unfold Rdiv; ring).
    replace (Q2R 0) with 0 by (unfold Q2R; simpl; lra). ring.
  - assert (0 < g) by (rewrite GV; apply Rdiv_lt_0_compat; [apply IZR_lt; reflexivity|lra]).
    rewrite (one_rho f (masked mask y) u g 1 (Q2R s)), sqrt_1 by (try assumption; lra). replace (Q2R 1) with 1 by (unfold Q2R; simpl;
      lra). field.
  - assert (g < 0). { rewrite GV. assert (IZR (Z.neg z) < 0) by (apply IZR_lt; reflexivity). assert (0 < / (INR p + 1)) by
      (apply Rinv_0_lt_compat; lra). unfold Rdiv. nra. }
    rewrite (one_rho f (masked mask y) (fun i => - u i) (- g) 1 (Q2R s)), sqrt_1; try assumption; try lra.
    + intros j Hj. rewrite MU by exact Hj. ring.
    + rewrite <- SU. f_equal. apply sumf_ext. intros j _. ring. Qed.
Theorem comparing_ok d t y l k s h : nth_error (comparisons G) d = Some k -> inside d (classes_of t) ->
  comparingok f G d t y l k s = true -> known d t h ->
  inside (S d) (classes_of (following l)) /\ known (S d) (following l) (layer f (tokens word) h y).
Proof. intros N I H Hh. unfold comparingok in H. cbv zeta in H. split_and. destruct (I) as (I1 & I2 & I3).
  match goal with H : negb _ = true |- _ => apply negb_true_iff in H; rename H into X end.
  assert (XN : sum_row f G (shifts (following l)) k <> nil) by (intro E; rewrite E in X; discriminate).
  match goal with H : forallb _ (summands k) = true |- _ => rename H into EA end.
  assert (ST : forall p, cls (S d) p = turn k (cls d p) (sign (sum G k history p))) by (intro; apply cls_step; assumption).
  match goal with H : all _ _ = true |- _ => pose proof (fun p => all_ok _ _ _ H (I1 p)) as A; clear H; cbv beta zeta in A end.
  assert (T : forall p, (cls (S d) p < classes_of (following l))%nat /\ Bool.eqb (Nat.eqb (cls (S d) p) 0) (Nat.eqb (cls d p) 0) = true /\
    settled (attended f (at_stage G d t) (shifts (following l)) t l (outputs f (at_stage G d t) (shifts (following l)) t y l) (cls d p))
      (scatter m (plain (units y) (signed f (dense f (fmask y)) (attended f (at_stage G d t) (shifts (following l)) t l
        (outputs f (at_stage G d t) (shifts (following l)) t y l) (cls d p)) (sum_row f G (shifts (following l)) k) s
        (sign (sum G k history p))))) (token f (following l) (cls (S d) p)) = true).
  { intro p. specialize (A p). apply andb_true_iff in A as [_ A]. pose proof (possible_ok k p d I2 I3) as PO.
    apply existsb_exists in PO as (sg & IN & E). apply Nat.eqb_eq in E. subst sg. rewrite forallb_forall in A. specialize (A _ IN).
    rewrite <- ST in A. split_and. split; [apply Nat.ltb_lt; assumption|split; assumption]. }
  split; [split; [|split]|].
  - intro p. apply T.
  - destruct (T 0%nat) as (_ & E & _). rewrite I2 in E. apply eqb_prop, Nat.eqb_eq in E. exact E.
  - intros p E. destruct (T (S p)) as (_ & Z & _). rewrite E in Z. apply eqb_prop in Z. symmetry in Z. apply Nat.eqb_eq in Z. exact (I3
    p Z).
  - intros p i Hi. unfold layer, feedforward. set (bs' := shifts (following l)) in *. set (c := at_stage G d t) in *.
    set (two := attended f c bs' t l (outputs f c bs' t y l) (cls d p)) in *. set (E := atom K Ev bs' p).
    assert (AT : forall q, (q < m)%nat -> attention f (tokens word) y h p q = dot (nth q two nil) E).
    { intros q Hq. apply (attention_ok f c word (cls d) count Hm eq_refl I1 I2 I3 (complete d t I) count_0 (count_next d t) t);
      assumption. }
    rewrite AT by exact Hi. destruct (T p) as (_ & _ & SE).
    rewrite (plain_ok m (units y) (signed f (dense f (fmask y)) two (sum_row f G bs' k) s (sign (sum G k history p)))
      (norm f (masked (fmask y) (attention f (tokens word) y h p))) E ltac:(assumption)).
    + apply (settled_ok m _ E); [reflexivity|exact Hi|exact SE].
    + intros q Hq. apply sign_norm; try assumption. specialize (A p). apply andb_true_iff in A. apply A. Qed.
Theorem countlayers_ok ys : forall ls d t t' h, inside d (classes_of t) -> countlayersok f G d t ys ls = Some t' -> known d t h ->
  inside (length (comparisons G)) (classes_of t') /\ known (length (comparisons G)) t' (block f (tokens word) ys h).
Proof. induction ys as [|y ys IH]; intros [|[l [s|]] ls] d t t' h I H Hh; try discriminate; cbn [countlayersok] in H.
  - destruct (Nat.eqb_spec d (length (comparisons G))) as [E|]; [|discriminate]. assert (t' = t) by congruence. subst. split; assumption.
  - destruct (nth_error (comparisons G) d) as [k|] eqn:N; [|discriminate]. destruct (comparingok f G d t y l k s) eqn:C; [|discriminate].
    destruct (comparing_ok d t y l k s h N I C Hh) as [I' K']. exact (IH ls (S d) (following l) t' _ I' H K').
  - destruct (_ && _)%bool eqn:C; [|discriminate]. apply andb_true_iff in C as [C E]. apply Nat.eqb_eq in E.
    pose proof I as (I1 & I2 & I3). rewrite <- E in I. apply (IH ls d (following l) t' _ I H).
    exact (resetlayer_ok f (at_stage G d t) word (cls d) count Hm eq_refl I1 I2 I3 (complete d t (conj I1 (conj I2 I3))) count_0
      (count_next d t) t y l h C Hh). Qed.
End Counting.

Theorem counting_correct f G c : countcheck f G c = true -> decides_counting f G.
Proof. unfold countcheck. intros H word W. split_and. destruct (repeated f) eqn:R; [|discriminate]. destruct (countlayersok _ _ _ _ _ _) as [t|] eqn:S; [|discriminate].
  repeat match goal with H : Nat.ltb _ _ = true |- _ => apply Nat.ltb_lt in H | H : Nat.eqb _ _ = true |- _ => apply Nat.eqb_eq in H end.
  match goal with A : (0 < width _)%nat, B : (1 < length _)%nat |- _ => rename A into Hm; rename B into Hemb end.
  pose proof (inside_0 f G word Hm Hemb W) as I.
  match goal with H : classes_of _ = _ |- _ => rewrite <- H in I end. pose proof I as (I1 & I2 & I3).
  assert (F : known f G word 0 (first_forms c) (h0 f word)).
  { refine (first_ok f (at_stage G 0 (first_forms c)) word (cls G word 0) (count G word) Hm eq_refl I1 I2 I3
      (complete f G word Hm Hemb W 0 (first_forms c) I) (count_0 f G word Hm Hemb W)
      (count_next f G word Hm Hemb W 0 (first_forms c)) (first_forms c) _ _); [|assumption].
    intro p. unfold kd. cbn [kinds at_stage]. rewrite seq_nth by apply I1. apply (cls_0 f); assumption. }
  destruct (countlayers_ok f G word Hm Hemb W _ _ _ _ _ _ I S F) as [J D].
  rewrite <- straight_stream in D by assumption. rewrite (verdict_cls f) by assumption. destruct J as [J _]. specialize (J (length word)).
  set (q := cls G word (length (comparisons G)) (length word)) in *.
  pose proof (verdict_of f (plaincert (at_stage G (length (comparisons G)) t)) {| delta := nil; start := 0; accepting := verdicts G |}
    word t q
    (ev (count G word))) as V. unfold ph in V. cbn [phi plaincert to_state at_stage Checker.size nodes accepting coded rcoded] in V.
  rewrite seq_nth in V by exact J. apply V; try assumption. intros i Hi. apply D, Hi. Qed.
