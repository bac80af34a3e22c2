(* Soundness of GraphChecker.v: one loop replaces a relation r by r;r at every token, and by GraphChecker.v the loops of the file give
   reachability (MS25 Theorem 5.1, one token per vertex). *)
Require Import Reals Lra Lia Psatz ZArith QArith Qreals List Bool Arith.
From Logdepth Require Import Rows Model Statement Atoms Checker Norms Attention Layers GraphChecker.
Import ListNotations.
Open Scope R_scope.

Lemma allsome_ok {A} (l : list (option A)) : forall l', allsome l = Some l' -> l = map Some l'.
Proof. induction l as [|x l IH]; intros l' H; cbn [allsome] in H; [assert (l' = nil) by congruence; subst; reflexivity|].
  destruct x as [x|]; [|discriminate]. destruct (allsome l) as [t|]; [|discriminate]. assert (l' = x :: t) by congruence. subst.
  cbn [map]. f_equal. apply IH. reflexivity. Qed.
Lemma allsome_nth {A} n (g : nat -> option A) l i d : allsome (map g (seq 0 n)) = Some l -> (i < n)%nat -> g i = Some (nth i l d).
Proof. intros H L. apply allsome_ok in H. assert (E : length l = n) by (rewrite <- (map_length Some), <- H, map_length, seq_length;
  reflexivity).
  rewrite <- (nth_map_seq g n i None L), H. rewrite (nth_indep _ None (Some d)) by (rewrite map_length, E; exact L). apply map_nth. Qed.

Lemma some_nth {A B} (g : A -> option B) d d' l : forall l' k, map g l = map Some l' -> (k < length l)%nat ->
  g (nth k l d) = Some (nth k l' d').
Proof. induction l as [|x l IH]; intros [|x' l'] k H L; try discriminate; [cbn in L; lia|]. cbn [map] in H. injection H as H1 H2.
  destruct k as [|k]; [exact H1|]. apply (IH l' k H2). cbn in L. lia. Qed.

(* Lemma or_head: what is read where the scores are largest is an OR over the related tokens *)
Definition sg (b : bool) : R := if b then 1 else -1.
Lemma sg_le b : -1 <= sg b <= 1.
Proof. destruct b; cbn [sg]; lra. Qed.
Lemma average_const (v : nat -> R) a l : l <> nil -> (forall k, In k l -> v k = a) -> average v l = a.
Proof. intros N H. unfold average. rewrite (sumf_ext v (fun _ => a * 1)) by (intros k K; rewrite H by exact K; ring). rewrite sumf_scal.
  assert (E : sumf (fun _ => 1) l = INR (length l)).
  { clear. induction l as [|x l IH]; [reflexivity|]. cbn [sumf fold_right length]. unfold sumf in IH. rewrite IH, S_INR. ring. }
  rewrite E. field. destruct l; [congruence|]. apply not_0_INR. simpl. lia. Qed.
Lemma argmax_in s l k : In k (argmax s l) -> In k l /\ forall k', In k' l -> s k' <= s k.
Proof. intro H. apply filter_In in H as [I H]. split; [exact I|]. intros k' I'. rewrite forallb_forall in H. specialize (H k' I').
  unfold leb in H. destruct (Rle_dec _ _); [assumption|discriminate]. Qed.
Lemma in_argmax s l k : In k l -> (forall k', In k' l -> s k' <= s k) -> In k (argmax s l).
Proof. intros I H. apply filter_In. split; [exact I|]. apply forallb_forall. intros k' I'. unfold leb.
  destruct (Rle_dec _ _) as [|C]; [reflexivity|destruct (C (H k' I'))]. Qed.
Theorem or_head n (r : nat -> nat -> bool) (s v : nat -> R) i j q c d a b : (i < n)%nat -> r i i = true -> c > d -> d > 0 ->
  (forall k, (k < n)%nat -> s k = q + c * sg (r i k) + d * sg (r k j)) -> (forall k, (k < n)%nat -> v k = a * sg (r k j) + b) ->
  average v (argmax s (seq 0 n)) = a * sg (compose_rel n r i j) + b.
Proof. intros Hi RI CD D S V. destruct (compose_rel n r i j) eqn:E.
  - apply compose_rel_ok in E as (k & K & A & B). assert (SK : s k = q + c + d) by (rewrite S, A, B by exact K; cbn [sg]; ring).
    assert (I : In k (seq 0 n)) by (apply in_seq; lia).
    apply average_const.
    + assert (IA : In k (argmax s (seq 0 n))).
      { apply in_argmax; [exact I|]. intros k' I'. apply in_seq in I'. rewrite SK, S by lia. pose proof (sg_le (r i k')).
        pose proof (sg_le (r k' j)). nra. }
      intro N. rewrite N in IA. destruct IA.
    + intros k' I'. apply argmax_in in I' as [L G]. specialize (G k I). apply in_seq in L. rewrite V by lia. rewrite SK, S in G by lia.
      pose proof (sg_le (r i k')). destruct (r k' j); cbn [sg] in *; [reflexivity|nra].
  - assert (N : forall k, (k < n)%nat -> r i k = true -> r k j = false).
    { intros k K A. destruct (r k j) eqn:B; [|reflexivity]. rewrite (proj2 (compose_rel_ok n r i j)) in E; [discriminate|]. eauto. }
    assert (SI : s i = q + c - d) by (rewrite S, RI, (N i Hi RI) by exact Hi; cbn [sg]; ring).
    assert (I : In i (seq 0 n)) by (apply in_seq; lia).
    apply average_const.
    + assert (IA : In i (argmax s (seq 0 n))).
      { apply in_argmax; [exact I|]. intros k' I'. apply in_seq in I'. rewrite SI, S by lia. destruct (r i k') eqn:A.
        - rewrite (N k') by (auto; lia). cbn [sg]. lra.
        - pose proof (sg_le (r k' j)). cbn [sg]. nra. }
      intro Z. rewrite Z in IA. destruct IA.
    + intros k' I'. apply argmax_in in I' as [L G]. specialize (G i I). apply in_seq in L. rewrite V by lia. rewrite SI, S in G by lia.
      destruct (r i k') eqn:A; [rewrite (N k') by (auto; lia); reflexivity|]. pose proof (sg_le (r k' j)). cbn [sg] in G. nra. Qed.

Section Connectivity.
Variable f : graphfile.
Notation m := (width (gnet f)).
Notation n := (vertices f).
Hypothesis Hm : (0 < m)%nat.

(* the norm of forms whose atoms have the square 1 *)
Section Norm.
Variable e : nat -> R.
Hypothesis E0 : e 0%nat = 1.
Hypothesis E1 : forall x, e x * e x = 1.
Lemma pos_width : 0 < INR m.
Proof. apply lt_0_INR, Hm. Qed.
Lemma weighted_length mask t : length t = m -> length (weighted f mask t) = m.
Proof. intro L. unfold weighted. rewrite map_length, combine_length, map_length, seq_length, L. apply Nat.min_id. Qed.
Lemma centre_length xs : length (centre f xs) = length xs.
Proof. unfold centre. destruct (ln f); [apply map_length|reflexivity]. Qed.
Lemma weighted_nth mask t c : length t = m -> (c < m)%nat ->
  dot (nth c (weighted f mask t) nil) e = Q2R (coef mask c) * dot (nth c t nil) e.
Proof. intros L H. unfold weighted.
  rewrite (nth_indep _ nil ((fun p => canon (scl (fst p) (snd p))) (0%Q, nil))) by (rewrite map_length, combine_length, map_length,
    seq_length, L; lia).
  rewrite (map_nth (fun p => canon (scl (fst p) (snd p)))), combine_nth by (rewrite map_length, seq_length; auto). cbn [fst snd].
  rewrite dot_canon, dot_scl, nth_map_seq by exact H. reflexivity. Qed.
Lemma dot_concat xs : dot (concat xs) e = sumf (fun c => dot (nth c xs nil) e) (seq 0 (length xs)).
Proof. induction xs as [|r xs IH]; [reflexivity|]. cbn [concat length seq sumf fold_right nth]. rewrite dot_app, IH. f_equal.
  rewrite <- seq_shift. unfold sumf. generalize (seq 0 (length xs)) as l. induction l as [|a l IHl]; [reflexivity|].
  cbn [map fold_right nth]. rewrite IHl. reflexivity. Qed.
Lemma centre_nth xs x c : length xs = m -> (forall c, (c < m)%nat -> x c = dot (nth c xs nil) e) -> (c < m)%nat ->
  centred f x c = dot (nth c (centre f xs) nil) e.
Proof. intros L X H. unfold centred, mean, centre. destruct (ln f); [|rewrite X by exact H; apply Rminus_0_r]. cbv zeta.
  set (total := scl _ _).
  rewrite (nth_indep _ nil ((fun r => canon (r ++ total)) nil)) by (rewrite map_length, L; exact H).
  rewrite (map_nth (fun r => canon (r ++ total))), dot_canon, dot_app, <- X by exact H. unfold total.
  rewrite dot_scl, dot_canon, dot_concat, L. unfold sumn.
  rewrite (sumf_ext x (fun c => dot (nth c xs nil) e)) by (intros i I; apply in_seq in I; apply X; lia).
  replace (Q2R (- (1 # Pos.of_nat m))) with (- / INR m); [unfold Rdiv; ring|].
  rewrite Q2R_opp. unfold Q2R. cbn [Qnum Qden]. rewrite INR_IZR_INZ, <- (positive_nat_Z (Pos.of_nat m)), Nat2Pos.id by lia. ring. Qed.
Lemma sum_squares_ok xs : forall q, sum_squares xs = Some q ->
  Q2R q = sumf (fun c => dot (nth c xs nil) e * dot (nth c xs nil) e) (seq 0 (length xs)).
Proof. induction xs as [|r xs IH]; intros q H; cbn [sum_squares] in H; [assert (q = 0%Q) by congruence; subst; apply z0|].
  assert (SH : forall l, sumf (fun c => dot (nth c (r :: xs) nil) e * dot (nth c (r :: xs) nil) e) (map S l) =
    sumf (fun c => dot (nth c xs nil) e * dot (nth c xs nil) e) l).
  { induction l as [|a l IHl]; [reflexivity|]. cbn [map sumf fold_right nth]. unfold sumf in IHl. cbn [nth] in IHl. rewrite IHl.
    reflexivity. }
  cbn [length seq]. rewrite <- seq_shift. change (sumf ?g (0%nat :: ?l)) with (g 0%nat + sumf g l). rewrite SH.
  destruct r as [|[x v] [|]]; [| |discriminate]; (destruct (sum_squares xs) as [p|]; [|discriminate]); rewrite <- (IH p eq_refl).
  - assert (q = p) by congruence. subst. cbn [nth dot]. ring.
  - assert (q = Qred (v * v + p)) by congruence. subst. rewrite qr, Q2R_plus, Q2R_mult. cbn [nth dot].
    transitivity (Q2R v * Q2R v * (e x * e x) + Q2R p); [rewrite E1; ring|ring]. Qed.
Theorem normed_ok mask t z x : length t = m -> normed f mask t = Some z -> (forall c, (c < m)%nat -> x c = dot (nth c t nil) e) ->
  forall c, (c < m)%nat -> norm f (masked mask x) c = dot (nth c z nil) e.
Proof. intros L H X c Hc. unfold normed in H. cbv zeta in H. set (xs := centre f (weighted f mask t)) in *.
  assert (C : forall c, (c < m)%nat -> centred f (masked mask x) c = dot (nth c xs nil) e).
  { intros c' Hc'. apply centre_nth; [apply weighted_length, L| |exact Hc'].
    intros i Hi. unfold masked. rewrite weighted_nth, X by assumption. reflexivity. }
  assert (LX : length xs = m) by (unfold xs; rewrite centre_length; apply weighted_length, L).
  unfold norm. rewrite (C c Hc). destruct (forallb isnil xs) eqn:N.
  - assert (z = xs) by congruence. subst z. rewrite (nil_nth xs c N). cbn [dot]. ring.
  - destruct (sum_squares xs) as [s|] eqn:S; [|discriminate]. destruct (_ && _)%bool eqn:G in H; [|discriminate]. split_and.
    set (k := root _) in *. assert (z = map (scl k) xs) by congruence. subst z.
    match goal with H : Qle_bool 0 k = true |- _ => apply le0 in H; rename H into K0 end.
    match goal with H : Qeq_bool _ _ = true |- _ => apply eq_q in H; rewrite !Q2R_mult, INR_Q in H; rename H into KS end.
    assert (SS : ss f (centred f (masked mask x)) = Q2R s).
    { rewrite (sum_squares_ok xs s S), LX. unfold ss, sumn. apply sumf_ext. intros i I. apply in_seq in I. rewrite C by lia. reflexivity. }
    rewrite SS. change nil with (scl k nil) at 2. rewrite map_nth, dot_scl. pose proof pos_width as Pm.
    assert (S0 : 0 < Q2R s). { destruct (Rlt_dec 0 (Q2R s)); [assumption|exfalso]. assert (Q2R k * Q2R k * Q2R s <= 0) by nra. lra. }
    rewrite <- KS, sqrt_mult by nra. rewrite sqrt_square by exact K0. field. apply Rgt_not_eq, sqrt_lt_R0, S0. Qed.
End Norm.

(* flags of a relation *)
Variable r : nat -> nat -> bool.
Hypothesis Hr : reflexive n r.
Definition flags (r : nat -> nat -> bool) (x : nat) : R :=
  match x with
  | 0%nat => 1
  | S x => if Nat.ltb x (n * n) then sg (r (x / n) (x mod n))%nat
           else let x := (x - n * n)%nat in sg (compose_rel n r (x / n) (x mod n))%nat
  end.
Notation e := (flags r).
Lemma flags_square x : e x * e x = 1.
Proof. destruct x as [|x]; cbn [flags]; [ring|]. destruct (Nat.ltb _ _); cbv zeta; [destruct (r _ _)|destruct (compose_rel _ _ _ _)];
  cbn [sg]; ring. Qed.
Lemma index i j : (i < n)%nat -> (j < n)%nat -> (n * i + j < n * n)%nat /\ ((n * i + j) / n = i)%nat /\ ((n * i + j) mod n = j)%nat.
Proof. intros I J. split; [nia|]. split.
  - rewrite Nat.mul_comm, Nat.div_add_l, Nat.div_small by lia. lia.
  - rewrite Nat.add_comm, Nat.mul_comm, Nat.mod_add, Nat.mod_small by lia. reflexivity. Qed.
Lemma flag_at_ok i j : (i < n)%nat -> (j < n)%nat -> e (flag_at f i j) = sg (r i j).
Proof. intros I J. unfold flag_at. destruct (Nat.eqb i j) eqn:E.
  - apply Nat.eqb_eq in E. subst. rewrite Hr by exact J. reflexivity.
  - destruct (index i j I J) as (B & D & M). cbn [flags]. rewrite (proj2 (Nat.ltb_lt _ _) B), D, M. reflexivity. Qed.
Lemma next_at_ok i j : (i < n)%nat -> (j < n)%nat -> e (next_at f i j) = sg (compose_rel n r i j).
Proof. intros I J. unfold next_at. destruct (Nat.eqb i j) eqn:E.
  - apply Nat.eqb_eq in E. subst. rewrite (compose_reflexive n r Hr) by exact J. reflexivity.
  - destruct (index i j I J) as (B & D & M). cbn [flags]. replace (Nat.ltb (n * n + (n * i + j)) (n * n)) with false by (symmetry;
      apply Nat.ltb_ge; lia).
    cbv zeta. replace (n * n + (n * i + j) - n * n)%nat with (n * i + j)%nat by lia. rewrite D, M. reflexivity. Qed.
Lemma raised_ok t : inb (S (n * n)) t = true -> dot (raised f t) e = dot t (flags (compose_rel n r)).
Proof. unfold raised. induction t as [|[x v] t IH]; intro H; [reflexivity|]. cbn [inb forallb fst] in H. apply andb_true_iff in H as [A B].
  cbn [map dot fst snd]. rewrite IH by exact B. f_equal. f_equal. destruct x as [|x]; [reflexivity|]. apply Nat.ltb_lt in A. cbn [flags].
  replace (Nat.ltb (n * n + x) (n * n)) with false by (symmetry; apply Nat.ltb_ge; lia).
  rewrite (proj2 (Nat.ltb_lt x (n * n))) by lia. cbv zeta. replace (n * n + x - n * n)%nat with x by lia. reflexivity. Qed.

Lemma times_ok a b t : times a b = Some t -> dot t e = dot a e * dot b e.
Proof. unfold times. destruct (isconst a) eqn:A; [|destruct (isconst b) eqn:B; [|discriminate]]; intro H.
  - assert (t = scl (coef a 0) b) by congruence. subst. rewrite dot_scl, (isconst_dot a e eq_refl A). reflexivity.
  - assert (t = scl (coef b 0) a) by congruence. subst. rewrite dot_scl, (isconst_dot b e eq_refl B). ring. Qed.
Lemma score_form_ok qs : forall ks t, score_form qs ks = Some t -> score qs ks e e = dot t e.
Proof. induction qs as [|q qs IH]; intros [|k ks] t H; cbn [score_form] in H; try (assert (t = nil) by congruence; subst; reflexivity).
  destruct (times q k) as [a|] eqn:A; [|discriminate]. destruct (score_form qs ks) as [b|] eqn:B; [|discriminate].
  assert (t = a ++ b) by congruence. subst. cbn [score]. rewrite dot_app, (times_ok q k a A), (IH ks b B). reflexivity. Qed.

(* one head *)
Section Head.
Variables (y : layerw) (h : nat -> nat -> R) (zs : list mat) (d : headw).
Definition zn k := norm f (masked (amask y) (h k)).
Hypothesis Hz : forall k c, (k < n)%nat -> (c < m)%nat -> zn k c = dot (nth c (nth k zs nil) nil) e.
Hypothesis Lz : length zs = n.
Lemma fetches_ok k c : matin m (hv d) = true -> (k < n)%nat -> (c < m)%nat ->
  dot (nth c (ho d) nil) (fun u => dot (nth u (hv d) nil) (zn k)) = dot (nth c (nth k (map (fetches f d) zs) nil) nil) e.
Proof. intros V K C. rewrite (nth_indep _ nil (fetches f d nil)) by (rewrite map_length, Lz; exact K). rewrite map_nth. unfold fetches.
  cbv zeta. rewrite nth_map_seq by exact C. rewrite dot_canon. apply dot_subst_all. intro u. rewrite forms_nth.
  apply (dot_subst m); [apply matin_nth, V|]. intros x X. apply Hz; assumption. Qed.
Theorem head_adds_ok out i c : head_adds f zs d = Some out -> (i < n)%nat -> (c < m)%nat ->
  attend f n y h d i c = dot (nth c (nth i out nil) nil) e.
Proof. intros H Hi Hc. unfold head_adds in H. destruct (_ && _)%bool eqn:B in H; [|discriminate]. split_and. cbv zeta in H.
  set (vs := map (fetches f d) zs) in *. unfold attend. cbv zeta. fold (zn i). rewrite (average_dot _ (fun u j => dot (nth u (hv d)
    nil) (norm f (masked (amask y) (h j))))).
  set (l := argmax _ _).
  assert (IN : forall k, In k l -> (k < n)%nat).
  { intros k K. apply argmax_in in K as [K _]. unfold visible in K. destruct (causal d); apply in_seq in K; lia. }
  set (v := fun k => dot (nth c (nth k vs nil) nil) e).
  assert (AV : average (fun j => dot (nth c (ho d) nil) (fun u => dot (nth u (hv d) nil) (norm f (masked (amask y) (h j))))) l =
    average v l).
  { unfold average. f_equal. apply sumf_ext. intros k K. apply (fetches_ok k c); auto. }
  rewrite AV. clear AV. destruct (forallb (forallb isnil) vs) eqn:Z.
  - assert (out = nil) by congruence. subst out.
    transitivity (average (fun _ => 0) l).
    + unfold average. f_equal. apply sumf_ext. intros k K. unfold v.
      assert (N : forallb isnil (nth k vs nil) = true).
      { rewrite forallb_forall in Z. apply Z, nth_In. unfold vs. rewrite map_length, Lz. apply IN, K. }
      rewrite (nil_nth _ c N). reflexivity.
    + rewrite average_zero. destruct i, c; reflexivity.
  - destruct (causal d) eqn:CA; [discriminate|]. pose proof (allsome_nth n _ out i nil H Hi) as T. clear H. cbv beta zeta in T.
    set (P := forms (hq d) (nth i zs nil)) in *. set (keys := map (forms (hk d)) zs) in *.
    unfold head_at in T. destruct (allsome _) as [scores|] eqn:AS in T; [|discriminate].
    destruct (List.find _ _) as [j|] eqn:F in T; [|discriminate]. apply find_some in F as [J F]. apply in_seq in J.
    pose proof (allsome_nth m _ (nth i out nil) c nil T Hc) as RD. unfold read_at in RD. cbv zeta in RD.
    destruct (all n (fun k => isnil _)) eqn:NI in RD.
    { assert (RO : nth c (nth i out nil) nil = nil) by congruence. rewrite RO. cbn [dot].
      transitivity (average (fun _ => 0) l); [|apply average_zero]. unfold average. f_equal. apply sumf_ext. intros k K. unfold v.
      pose proof (all_ok _ _ k NI (IN k K)) as E. cbv beta in E. apply isnil_ok in E. rewrite E. reflexivity. }
    destruct (all n _) eqn:AR in RD; [|discriminate]. unfold prefers in F. cbv zeta in F.
    destruct (_ && _)%bool eqn:CD in F; [|discriminate]. split_and.
    match goal with H : all n (fun k => eqr (nth k scores nil) _) = true |- _ => pose proof (fun k X => all_ok _ _ k H X) as SC; clear H;
      cbv beta in SC end.
    pose proof (fun k X => all_ok _ _ k AR X) as RC. cbv beta in RC. clear AR.
    set (a := coef _ (flag_at f (third f i j) j)) in RC, RD. set (b := coef _ 0) in RC, RD.
    set (cc := coef _ (flag_at f i (third f i j))) in *. set (dd := coef (nth (third f i j) scores nil) (flag_at f (third f i j) j)) in *.
    set (qq := coef (nth (third f i j) scores nil) 0) in *.
    assert (RO : nth c (nth i out nil) nil = [(next_at f i j, a); (0%nat, b)]) by congruence. rewrite RO. cbn [dot].
    rewrite next_at_ok by lia. unfold l. cbn [visible].
    rewrite (or_head n r _ v i j (Q2R qq) (Q2R cc) (Q2R dd) (Q2R a) (Q2R b) Hi (Hr i Hi)).
    + cbn [flags]. ring.
    + apply lt_q. assumption.
    + apply pos_q. assumption.
    + intros k K. fold (zn k).
      rewrite (score_forms m (hq d) (hk d) (zn i) (zn k) e e (nth i zs nil) (nth k zs nil))
        by (try assumption; intros; apply Hz; assumption).
      assert (EK : nth k keys nil = forms (hk d) (nth k zs nil)).
      { unfold keys. rewrite (nth_indep _ nil (forms (hk d) nil)) by (rewrite map_length, Lz; exact K). apply map_nth. }
      fold P. rewrite <- EK. rewrite (score_form_ok P (nth k keys nil) (nth k scores nil)) by (apply (allsome_nth n (fun k => score_form P
        (nth k keys nil)) scores k nil AS K)).
      rewrite (eqr_ok _ _ e (SC k K)). cbn [dot]. rewrite !flag_at_ok by lia. cbn [flags]. ring.
    + intros k K. unfold v. rewrite (eqr_ok _ _ e (RC k K)). cbn [dot]. rewrite flag_at_ok by lia. cbn [flags]. ring. Qed.
End Head.

Lemma attention_adds y h (zs : list mat) (outs : list (list mat)) (t : mat) i c : (i < n)%nat -> (c < m)%nat -> length zs = n ->
  (forall k c, (k < n)%nat -> (c < m)%nat -> norm f (masked (amask y) (h k)) c = dot (nth c (nth k zs nil) nil) e) ->
  map (head_adds f zs) (heads y) = map Some outs -> h i c = dot (nth c t nil) e ->
  attention f n y h i c = dot (nth c (added_to f t outs i) nil) e.
Proof. intros Hi Hc L Z A T. unfold added_to. rewrite nth_map_seq by exact Hc. rewrite dot_canon, dot_app, <- T. unfold attention.
  revert outs A. induction (heads y) as [|d ds IH]; intros [|o outs] A; try discriminate; [cbn; ring|].
  cbn [map] in A. injection A as A1 A2. cbn [fold_right flat_map]. rewrite dot_app, (IH outs A2).
  rewrite (head_adds_ok y h zs d Z L o i c A1 Hi Hc), <- Rplus_assoc, (Rplus_comm _ (h i c)), Rplus_assoc. reflexivity. Qed.

(* one layer: what holds of r before holds of r;r after *)
Definition holds_rel (ts : list mat) (r : nat -> nat -> bool) (h : nat -> nat -> R) :=
  forall i c, (i < n)%nat -> (c < m)%nat -> h i c = dot (nth c (nth i ts nil) nil) (flags r).
Theorem squares_relation_ok (ts : list mat) y h : length ts = n -> (forall i, (i < n)%nat -> length (nth i ts nil) = m) ->
  forallb (matin (S (n * n))) ts = true -> squares_relation f ts y = true -> holds_rel ts r h ->
  holds_rel ts (compose_rel n r) (layer f n h y).
Proof. intros Lt Lr LO H Hh i c Hi Hc. unfold squares_relation in H.
  destruct (allsome (map (normed f (amask y)) ts)) as [zs|] eqn:ZS; [|discriminate].
  destruct (allsome (map (head_adds f zs) (heads y))) as [outs|] eqn:OS; [|discriminate].
  apply allsome_ok in ZS. apply allsome_ok in OS. apply andb_true_iff in H as [MI H].
  assert (Lz : length zs = n) by (rewrite <- (map_length Some), <- ZS, map_length; exact Lt).
  assert (Z : forall k c, (k < n)%nat -> (c < m)%nat -> norm f (masked (amask y) (h k)) c = dot (nth c (nth k zs nil) nil) e).
  { intros k x K X. apply (normed_ok e flags_square (amask y) (nth k ts nil)); [apply Lr, K| |intros; apply Hh; assumption|exact X].
    apply (some_nth (normed f (amask y)) nil nil ts zs k ZS). exact (eq_ind_r (fun q => (k < q)%nat) K Lt). }
  pose proof (all_ok _ _ i H Hi) as T. cbv beta zeta in T. set (t2 := added_to f (nth i ts nil) outs i) in *.
  destruct (normed f (fmask y) t2) as [z2|] eqn:N2; [|discriminate].
  assert (AT : forall x, (x < m)%nat -> attention f n y h i x = dot (nth x t2 nil) e).
  { intros x X. apply (attention_adds y h zs); auto. }
  unfold layer, feedforward. rewrite AT by exact Hc.
  rewrite (plain_ok m (units y) z2 _ e MI) by (intros x X; apply (normed_ok e flags_square (fmask y) t2); auto;
    unfold t2, added_to; rewrite map_length, seq_length; reflexivity).
  rewrite (settled_ok m (plain (units y) z2) e t2 (map (raised f) (nth i ts nil)) c eq_refl Hc T).
  transitivity (dot (raised f (nth c (nth i ts nil) nil)) e); [f_equal; apply (map_nth (raised f) (nth i ts nil) nil c)|].
  apply raised_ok. apply matin_nth. rewrite forallb_forall in LO. apply LO, nth_In.
  rewrite Lt. exact Hi. Qed.
End Connectivity.

Lemma starts_length f : length (starts f) = vertices f.
Proof. unfold starts. rewrite map_length, seq_length. reflexivity. Qed.
Lemma starts_nth f i : (i < vertices f)%nat -> nth i (starts f) nil = map (start_at f i) (seq 0 (width (gnet f))).
Proof. intro H. unfold starts. apply (nth_map_seq (fun i => map (start_at f i) (seq 0 (width (gnet f))))), H. Qed.
Definition given_rel (edge : nat -> nat -> bool) i j := (Nat.eqb i j || edge i j)%bool.
Lemma given_reflexive edge n : reflexive n (given_rel edge).
Proof. intros i _. unfold given_rel. rewrite Nat.eqb_refl. reflexivity. Qed.
Lemma square_reflexive n l r : reflexive n r -> reflexive n (square_rel n l r).
Proof. intro H. induction l as [|l IH]; [exact H|]. apply (compose_reflexive n _ IH). Qed.
Lemma start_ok f edge : holds_rel f (starts f) (given_rel edge) (vertex0 f edge).
Proof. intros i c Hi Hc. assert (Hm : (0 < width f)%nat) by lia. rewrite starts_nth, nth_map_seq by assumption.
  unfold start_at, vertex0, given. rewrite dot_canon. cbn [dot]. rewrite dot_app.
  set (e := flags f (given_rel edge)). assert (E0 : e 0%nat = 1) by reflexivity. rewrite E0.
  assert (FL : forall j, (j < vertices f)%nat -> e (flag_at f i j) = entry edge i j).
  { intros j J. unfold e. rewrite (flag_at_ok f Hm _ (given_reflexive edge _)) by assumption. reflexivity. }
  assert (Q1 : Q2R 1 = 1) by (unfold Q2R; simpl; lra). assert (Q2 : Q2R (-1) = -1) by (unfold Q2R; simpl; lra).
  destruct (Nat.ltb c (vertices f)) eqn:A; destruct (_ && _)%bool eqn:B; cbn [dot];
    try (apply Nat.ltb_lt in A); try (apply andb_true_iff in B as [_ B]; apply Nat.ltb_lt in B);
    rewrite ?FL, ?Q1, ?Q2 by assumption; ring. Qed.
Lemma log2_up_le n l : (Nat.log2_up n <= l)%nat -> (n <= 2 ^ l)%nat.
Proof. intro H. apply Nat.le_trans with (2 ^ Nat.log2_up n)%nat; [|apply Nat.pow_le_mono_r; lia].
  destruct (le_lt_dec n 1) as [L|L]; [rewrite Nat.log2_up_eqn0 by exact L; simpl; lia|]. apply Nat.log2_up_spec, L. Qed.

Theorem connectivity_correct f : rowscheck f = true -> decides_reachability f.
Proof. unfold rowscheck. cbv zeta. intros H edge i j Hi Hj. split_and.
  destruct (initial f) eqn:IN; [|discriminate]. destruct (repeated f) as [|y [|]] eqn:RE; try discriminate.
  destruct (final f) eqn:FI; [|discriminate].
  unfold room in *. split_and.
  repeat match goal with H : Nat.leb _ _ = true |- _ => apply Nat.leb_le in H | H : Nat.ltb _ _ = true |- _ => apply Nat.ltb_lt in H end.
  assert (Hm : (0 < width (gnet f))%nat) by lia. set (n := vertices f) in *. set (r0 := given_rel edge). set (l := loops f n) in *.
  assert (IT : forall k, holds_rel f (starts f) (square_rel n k r0) (Nat.iter k (block f n [y]) (vertex0 f edge))).
  { induction k as [|k IH]; [apply start_ok|]. cbn [Nat.iter nat_rect]. unfold block at 1. cbn [fold_left].
    apply (squares_relation_ok f Hm (square_rel n k r0) (square_reflexive n k r0 (given_reflexive edge n)) (starts f) y); auto.
    - apply starts_length.
    - intros x X. rewrite starts_nth by exact X. rewrite map_length, seq_length. reflexivity. }
  assert (ST : holds_rel f (starts f) (square_rel n l r0) (run f n n (vertex0 f edge))) by (unfold run; rewrite IN, FI, RE; apply IT).
  match goal with H : reads_relation f _ = true |- _ => pose proof (all_ok _ _ j (all_ok _ _ i H Hi) Hj) as RD end. cbv beta zeta in RD.
  apply andb_true_iff in RD as [RI RD]. set (x := canon _) in RD.
  assert (LG : pair_logit f edge i j = dot x (flags f (square_rel n l r0))).
  { unfold pair_logit, x. rewrite dot_canon. apply (dot_subst (width (gnet f))); [exact RI|]. intros c C. apply ST; assumption. }
  destruct x as [|[q v] [|]]; try discriminate. split_and.
  match goal with H : Nat.eqb _ _ = true |- _ => apply Nat.eqb_eq in H; subst q end.
  match goal with H : negb (Qle_bool v 0) = true |- _ => apply pos_q in H; rename H into V end.
  rewrite LG. cbn [dot]. rewrite (flag_at_ok f Hm _ (square_reflexive n l r0 (given_reflexive edge n))) by assumption.
  pose proof (squares_walk n edge r0 (fun _ _ => eq_refl) l i j ltac:(apply log2_up_le; assumption) Hi Hj) as W.
  fold n. split; intro P.
  - rewrite (proj2 W P). cbn [sg]. lra.
  - destruct (square_rel n l r0 i j); [destruct (P (proj1 W eq_refl))|]. cbn [sg]. lra. Qed.
