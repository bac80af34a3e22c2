(* The theorem of a file that multiplies by shifts (MS25 Theorem 4.1, Corollary 4.2 with the first layers unrolled): if check f c X r
   computes to true, the file accepts exactly what the automaton X accepts, and at every token the prefix read-out gives the product of
   the letters so far, for every admissible word. *)
Require Import Reals Lra Lia Psatz ZArith QArith Qreals List Bool Arith ZifyNat.
From Logdepth Require Import Rows Model Statement Atoms Checker Norms Attention Layers.
Import ListNotations.
Open Scope R_scope.

Section Start.
Variables (f : file) (c : cert).
Notation K := (coded c).
(* the stream at the start *)
Lemma filled0_ok e (s : env) bs p i g n r : K = Written e -> (n <= 4)%nat -> filled0 bs i g n = Some r -> n = Model.size e ->
  filled e g p i = dot r (atom K s bs p).
Proof. intros KE Hn H En. unfold filled0 in H. destruct (find _ bs 0) as [j|] eqn:F; [|discriminate]. apply find_ok in F as [N _].
  rewrite Nat.sub_0_r in N.
  assert (R : r = flat_map (fun x => if Nat.eqb i (snd x) then [((3 + 4 * j + fst x)%nat, scale g)] else nil) (combine (seq 0 n)
    (ats g))) by congruence. subst r. unfold filled. rewrite <- En. clear En H.
  assert (W : forall k a, (a + k <= 4)%nat -> forall al, Q2R (scale g) * fold_right (fun x b => (if Nat.eqb i (snd x) then kc e (fst x)
    (p - back g) else 0) + b) 0 (combine (seq a k) al) =
    dot (flat_map (fun x => if Nat.eqb i (snd x) then [((3 + 4 * j + fst x)%nat, scale g)] else nil) (combine (seq a k) al))
      (atom K s bs p)).
  { induction k as [|k IHk]; intros a Ha al; [cbn; ring|]. destruct al as [|y al]; [cbn; ring|].
    cbn [seq combine fold_right flat_map fst snd]. rewrite dot_app, <- IHk by lia. rewrite Rmult_plus_distr_l. f_equal.
    destruct (Nat.eqb i y); [|cbn [dot]; ring]. cbn [dot]. rewrite atom_at by lia. rewrite N, KE. cbn [component code].
      replace (val s (0%Z, Z.of_nat (back g))) with (back g) by (unfold val; cbn [fst snd]; lia). ring. }
  apply W. lia. Qed.
Lemma fills0_ok e (s : env) bs p i n : K = Written e -> (n <= 4)%nat -> n = Model.size e -> forall l r, fills0 bs i n l = Some r ->
  fold_right (fun g a => filled e g p i + a) 0 l = dot r (atom K s bs p).
Proof. intros KE Hn En. induction l as [|g l IH]; intros r H; cbn [fills0] in H; [assert (r = nil) by congruence; subst; reflexivity|].
  destruct (filled0 bs i g n) as [a|] eqn:A; [|discriminate]. destruct (fills0 bs i n l) as [b|]; [|discriminate].
    assert (r = a ++ b) by congruence. subst r.
  cbn [fold_right]. rewrite dot_app, (IH b eq_refl), (filled0_ok e s bs p i g n a) by assumption. reflexivity. Qed.
Lemma parity0_ok (s : env) bs p i parity x r : parity0 bs parity i x = Some r -> exists y, x = Some y /\
  dot y (atom K s bs p) + (if Nat.even p then 1 else -1) * Q2R (coef parity i) = dot r (atom K s bs p).
Proof. unfold parity0. destruct x as [y|]; [|discriminate]. intro H. exists y. split; [reflexivity|].
  destruct (find Parity bs 0) as [j|] eqn:F.
  - assert (R : r = ((3 + 4 * j)%nat, coef parity i) :: y) by congruence. subst r. apply find_ok in F as [N _]. rewrite Nat.sub_0_r in N.
    cbn [dot]. replace (3 + 4 * j)%nat with (3 + 4 * j + 0)%nat by lia. rewrite atom_at, N by lia. cbn [component]. ring.
  - destruct (Qeq_bool _ 0) eqn:E; [|discriminate]. apply zero_q in E. assert (y = r) by congruence. subst. rewrite E. ring. Qed.
Lemma position0_ok (s : env) bs p i r : position0 f c bs i = Some r -> position f p i = dot r (atom K s bs p).
Proof. intro H. unfold position0 in H. unfold position. destruct (pi f) as [[| |] l pr|first rest]; destruct K as [[| |]|L] eqn:KE;
  try discriminate; rewrite <- KE.
  - destruct (parity0_ok s bs p i pr _ r H) as (y & Y & <-). f_equal. apply (fills0_ok Circle s bs p i 2); auto.
  - destruct (parity0_ok s bs p i pr _ r H) as (y & Y & <-). f_equal. apply (fills0_ok TwoCircle s bs p i 4); auto.
  - destruct (Nat.eqb_spec offset offset0); [subst|discriminate]. destruct (parity0_ok s bs p i pr _ r H) as (y & Y & <-). f_equal.
    apply (fills0_ok (Fine offset0) s bs p i 2); auto.
  - assert (R : r = [(0%nat, coef rest i); (2%nat, Qred (coef first i - coef rest i))]) by congruence. subst r. cbn [dot atom].
    rewrite qr, Q2R_minus. destruct (Nat.eqb p 0); ring. Qed.
End Start.

Section ShiftScan.
Set Default Proof Using "All".
Variables (f : file) (c : cert) (X : automaton) (rd : reading) (word : list nat).
Notation m := (width (net f)). Notation M := (size c). Notation K := (coded c). Notation mul := (ml c). Notation e1 := (one c).
Hypothesis Hm : (0 < m)%nat.
Hypothesis Hk : codingok K = true.
Hypothesis Hmon : monoidok f c = true.
Hypothesis Hemb : (1 < length (emb f))%nat.
Hypothesis Hword : admissible f word.
Notation Hw := (proj1 Hword).
Notation PP := (PP c word). Notation Lab := (Lab c word). Notation holds := (holds f c word).

Lemma base t (s : env) : baseok f c t = true -> holds s (0%Z, 1%Z) t (h0 f word).
Proof. intros H p i Hi. unfold baseok in H. pose proof (all_ok _ _ i H Hi) as B. cbv beta in B.
  destruct (position0 f c (shifts t) i) as [r|] eqn:P; [|discriminate].
  pose proof (all_ok _ _ _ B (kind_in f c word Hm Hk Hmon Hemb Hw p)) as EQ. cbv beta in EQ.
  replace (Layers.Lab c word (val s (0%Z, 1%Z)) p) with (gn c (kind word p)).
  2:{ change (val s (0%Z, 1%Z)) with (Z.to_nat (0 * Z.of_nat s + 1)). replace (Z.to_nat (0 * Z.of_nat s + 1)) with 1%nat by lia.
    unfold Layers.Lab. destruct p as [|p].
      - change (gn c (kind word 0)) with (wd c word 0). rewrite (wd_0 f c word Hm Hk Hmon Hemb Hw). reflexivity.
      - replace (S p - 1)%nat with p by lia. replace (S p - p)%nat with 1%nat by lia. unfold Layers.PP. cbn [letters].
        destruct (monoid f c word Hm Hk Hmon Hemb Hw) as (_ & _ & _ & U & _ & _).
        rewrite (proj2 (U _ (wd_in f c word Hm Hk Hmon Hemb Hw _))). unfold wd. replace (p + 1)%nat with (S p) by lia. reflexivity. }
  rewrite <- (eqr_ok _ _ _ EQ). unfold h0. cbn [dot]. rewrite (position0_ok f c s _ p i r P). cbn [atom]. ring. Qed.

(* with one label every product is that label *)
Lemma single a b : trivial c = true -> (a < M)%nat -> (b < M)%nat -> a = b.
Proof. unfold trivial. intros H A B. apply Nat.eqb_eq in H. lia. Qed.
Lemma agree_ok a b (s s' : env) len : agree c a b = true -> val s b = val s' len -> forall p, Lab (val s a) p = Lab (val s' len) p.
Proof. intros H E p. unfold agree in H. apply orb_true_iff in H as [H|H].
  - apply (single _ _ H); apply (Lab_in f c word Hm Hk Hmon Hemb Hw).
  - apply same_ok in H. subst. rewrite E. reflexivity. Qed.

(* the loop *)
Definition stride n := (factor c ^ n)%nat.
Lemma loop_ok t2 len2 h : (1 <= factor c)%nat -> good (length0 c) = true ->
  layersok f c (cloop c) (length0 c) (repeated f) (cbody c) = Some (t2, len2) ->
  forallb (lasting (factor c)) (shifts (cloop c)) = true -> restaged f c t2 (cloop c) (map (longer (factor c)) (shifts (cloop c))) = true ->
    agree c len2 (longer_shift (Z.of_nat (factor c)) (length0 c)) = true ->
  holds (in_loop 1) (length0 c) (cloop c) h -> forall n, holds (in_loop (stride n)) (length0 c) (cloop c)
    (Nat.iter n (block f (tokens word) (repeated f)) h).
Proof. intros F G L LA RS E Hh. induction n as [|n IH]; [exact Hh|]. cbn [Nat.iter nat_rect].
  assert (S1 : (1 <= stride n)%nat) by (unfold stride; pose proof (Nat.pow_nonzero (factor c) n); lia).
  destruct (layers_ok f c word Hm Hk Hmon Hemb Hw (in_loop (stride n)) (repeated f) S1 (cbody c) (cloop c) (length0 c) t2 len2 _ G L IH)
    as [H2 _].
  apply (restaged_ok f c word Hm Hk Hmon Hemb Hw t2 (cloop c) _ (in_loop (stride n)) (in_loop (stride (S n))) len2 (length0 c))
    with (2 := RS) (5 := H2);
    [exact S1| |].
  - apply (agree_ok _ _ _ _ _ E). apply val_longer.
  - intros p i. rewrite atom_longer by assumption. reflexivity. Qed.

Lemma ceil_log_enough base n : (2 <= base)%nat -> (n <= base ^ ceil_log base n)%nat.
Proof. intro B. unfold ceil_log. destruct (List.find _ _) as [l|] eqn:F.
  - apply find_some in F as [_ F]. apply Nat.leb_le, F.
  - apply (find_none _ _) with (x := n) in F; [|apply in_seq; lia]. apply Nat.leb_gt in F.
    pose proof (Nat.pow_gt_lin_r base n ltac:(lia)). lia. Qed.
Lemma enough_ok len : enough f c len = true -> (length word <= val (stride (loops f (length word))) len)%nat.
Proof. intro H. unfold enough in H. unfold loops, stride. pose proof (proj2 Hword) as A.
  destruct (unroll f) as [base mi|n [longest|]]; split_and; try discriminate.
  - repeat match goal with H : Nat.leb _ _ = true |- _ => apply Nat.leb_le in H | H : Z.leb _ _ = true |- _ => apply Z.leb_le in H end.
    pose proof (ceil_log_enough base (length word - mi) ltac:(assumption)) as E. set (l := ceil_log base (length word - mi)) in *.
    assert (P : (base ^ l <= factor c ^ l)%nat) by (apply Nat.pow_le_mono_l; assumption).
      assert (P1 : (1 <= factor c ^ l)%nat) by (pose proof (Nat.pow_nonzero (factor c) l); lia).
    unfold val. nia.
  - apply Z.leb_le in H. unfold val. rewrite Nat2Z.inj_pow. lia. Qed.
Theorem final_state t : staged f c = Some t -> exists s, forall p i, (p <= length word)%nat -> (i < m)%nat ->
  stream f word p i = dot (nth i (token f t (PP 0 p)) nil) (atom K s (shifts t) p).
Proof. intros H. unfold staged in H. destruct (layersok _ _ (stage0 c) _ _ _) as [[t1 len1]|] eqn:L1; [|discriminate].
  destruct (layersok _ _ _ _ (repeated f) _) as [[t2 len2]|] eqn:L2; [|discriminate].
    destruct (layersok _ _ _ _ (Model.final f) _) as [[t3 len3]|] eqn:L3; [|discriminate]. cbv zeta in H.
  destruct (_ && _)%bool eqn:C in H; [|discriminate]. assert (t3 = t) by congruence. subst t3. clear H. split_and.
  repeat match goal with H : same _ _ = true |- _ => apply same_ok in H | H : Nat.leb _ _ = true |- _ => apply Nat.leb_le in H end.
  match goal with H : baseok _ _ _ = true |- _ => pose proof (base (stage0 c) (in_loop 1) H) as B end.
  destruct (layers_ok f c word Hm Hk Hmon Hemb Hw (in_loop 1) (initial f) (le_n 1) (cinit c) (stage0 c) (0%Z, 1%Z) t1 len1 _ eq_refl L1 B)
    as [B1 _].
  assert (B2 : holds (in_loop 1) (length0 c) (cloop c) (block f (tokens word) (initial f) (h0 f word))).
  { apply (restaged_ok f c word Hm Hk Hmon Hemb Hw t1 (cloop c) (map at_one (shifts (cloop c))) (in_loop 1) (in_loop 1) len1 (length0 c));
    try assumption;
    [exact (le_n 1)| |].
    - match goal with H : agree c len1 _ = true |- _ => apply (agree_ok _ _ _ _ _ H) end. apply val_at_one.
    - intros. apply atom_at_one. }
  set (n := loops f (length word)). assert (S1 : (1 <= stride n)%nat) by (unfold stride; pose proof (Nat.pow_nonzero (factor c) n); lia).
  pose proof (loop_ok t2 len2 _ ltac:(assumption) ltac:(assumption) L2 ltac:(assumption) ltac:(assumption) ltac:(assumption) B2 n) as B3.
  destruct (layers_ok f c word Hm Hk Hmon Hemb Hw (in_loop (stride n)) (Model.final f) S1 (cfinal c) (cloop c)
    (length0 c) t len3 _ ltac:(assumption) L3 B3) as [B4 _].
  exists (in_loop (stride n)). intros p i Hp Hi. unfold stream, run. fold n. specialize (B4 p i Hi). rewrite B4. do 3 f_equal.
    unfold Layers.Lab. cbn [strides in_loop].
  match goal with H : (trivial c || enough f c len3)%bool = true |- _ => apply orb_true_iff in H as [H|H] end.
  - match goal with H : trivial c = true |- _ => apply (single _ _ H); apply (PP_in f c word Hm Hk Hmon Hemb Hw) end.
  - match goal with H : enough _ _ _ = true |- _ => apply enough_ok in H; fold n in H end.
    replace (p - val (stride n) len3)%nat with 0%nat by lia. rewrite Nat.sub_0_r. reflexivity. Qed.

Lemma letter k : (k < length word)%nat -> firstn (S k) word = firstn k word ++ [nth k word 0%nat] /\
  (nth k word 0 < length (emb f) - 1)%nat /\
  wd c word (0 + S k) = gn c (S (nth k word 0%nat)).
Proof. intro H. split; [|split].
  - clear - H. revert k H. induction word as [|a w IHw]; intros [|k] H; simpl in *; try lia; [reflexivity|]. f_equal.
    rewrite <- IHw by lia. reflexivity.
  - pose proof Hw as W. rewrite Forall_forall in W. apply W, nth_In, H.
  - unfold wd, kind. cbn [Nat.add nth]. rewrite (map_nth S word 0%nat).
    reflexivity. Qed.
Notation inside := (PP_in f c word Hm Hk Hmon Hemb Hw).
Lemma state k : autok f c X = true -> (k <= length word)%nat -> reached X (firstn k word) = ph c (PP 0 k).
Proof. intros A H. unfold autok in A. apply andb_true_iff in A as [A0 A]. apply Nat.eqb_eq in A0. revert H.
  induction k as [|k IH]; intro H; [symmetry; exact A0|].
  destruct (letter k H) as (F & L & W). unfold reached in *. rewrite F, fold_left_app. cbn [fold_left]. rewrite IH by lia.
    unfold Layers.PP. cbn [letters]. rewrite W.
  pose proof (all_ok _ _ _ (all_ok _ _ _ A (inside 0%nat k)) L) as Q. cbv beta in Q. apply Nat.eqb_eq in Q. symmetry. exact Q. Qed.
Lemma acting k : actok f c rd = true -> (k <= length word)%nat -> product rd (firstn k word) = act c (PP 0 k).
Proof. intros A H. unfold actok in A. apply andb_true_iff in A as [A0 A]. apply eqn_ok in A0. revert H.
  induction k as [|k IH]; intro H; [symmetry; exact A0|].
  destruct (letter k H) as (F & L & W). unfold product in *. rewrite F, fold_left_app. cbn [fold_left]. rewrite IH by lia.
    unfold Layers.PP. cbn [letters]. rewrite W.
  pose proof (all_ok _ _ _ (all_ok _ _ _ A (inside 0%nat k)) L) as Q. cbv beta in Q. apply eqn_ok in Q. symmetry. exact Q. Qed.
Theorem verdict t : staged f c = Some t -> readok f c X t = true -> autok f c X = true ->
  if accepted X word then accepts f word else rejects f word.
Proof. intros HS R HA. destruct (final_state t HS) as [s FS]. pose proof (state (length word) HA (le_n _)) as AU. rewrite firstn_all in AU.
  unfold accepted. rewrite AU. apply (verdict_of f c X word t (PP 0 (length word)) s); [apply inside|exact R|].
  intros i Hi. apply FS; [lia|exact Hi]. Qed.
Theorem prefixes t p g : staged f c = Some t -> prefixok f c rd t = true -> actok f c rd = true -> autok f c X = true ->
  (p <= length word)%nat -> (g < length (groups rd))%nat ->
  says f word (nth g (groups rd) nil) p (expected X rd g (firstn p word)).
Proof. intros HS R HA HB Hp Hg. destruct (final_state t HS) as [s FS]. unfold expected. rewrite (acting p HA Hp), (state p HB Hp).
  apply (prefix_of f c rd word t (PP 0 p) s); [apply inside|exact R|intros i Hi; apply FS; assumption|exact Hg]. Qed.
End ShiftScan.

(* both parts of the theorem from one computation *)
Theorem shift_scan_correct f c X r : check f c X r = true -> decides f X /\ tells f X r.
Proof. unfold check. intro H. split_and. destruct (staged f c) as [t|] eqn:S; [|discriminate]. split_and.
  repeat match goal with H : Nat.ltb _ _ = true |- _ => apply Nat.ltb_lt in H end. split; intros word Hword.
  - apply (verdict f c X r word) with (t := t); assumption.
  - intros p g Hp Hg. apply (prefixes f c X r word) with (t := t); assumption. Qed.
