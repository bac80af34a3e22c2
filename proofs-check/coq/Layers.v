(* One layer, a list of layers, and a change of description: what holds of the stream before, as forms of the product of the letters in
   an interval that ends at the token, holds after, for the longer interval (MS25 Definitions 2.1 to 2.3; Theorem 4.1, Corollary 4.2). *)
Require Import Reals Lra Lia Psatz ZArith QArith Qreals List Bool Arith ZifyNat.
From Logdepth Require Import Rows Model Atoms Checker Norms Attention.
Import ListNotations.
Open Scope R_scope.

(* the product of the letters a+1 .. a+n *)
Fixpoint letters (mul : nat -> nat -> nat) (one : nat) (w : nat -> nat) (a n : nat) : nat :=
  match n with O => one | S n => mul (letters mul one w a n) (w (a + S n)%nat) end.

Lemma plain_ok m us z y x : matin m (map fst us) = true -> (forall j, (j < m)%nat -> y j = dot (nth j z nil) x) ->
  forall i, unitsum us y i = unitsum (plain us z) x i.
Proof. intros MI E i. induction us as [|u us IH]; [reflexivity|]. cbn [map matin forallb] in MI. apply andb_true_iff in MI as [B MI].
  cbn [unitsum plain map fst snd]. rewrite (IH MI).
  unfold lin. rewrite dot_canon, (dot_subst m (fst u) z y x) by assumption. reflexivity. Qed.

Section Layers.
Set Default Proof Using "All".
Variables (f : file) (c : cert) (word : list nat).
Notation m := (width (net f)). Notation M := (size c). Notation K := (coded c). Notation mul := (ml c). Notation e1 := (one c).
Hypothesis Hm : (0 < m)%nat.
Hypothesis Hk : codingok K = true.
Hypothesis Hmon : monoidok f c = true.
Hypothesis Hemb : (1 < length (emb f))%nat.
Hypothesis Hword : Forall (fun a => (a < length (emb f) - 1)%nat) word.

(* products of letters *)
Definition wd p := gn c (kind word p).
Lemma kind_in p : (kind word p < length (emb f))%nat.
Proof. unfold kind. destruct p as [|p]; [cbn [nth]; lia|]. cbn [nth]. destruct (lt_dec p (length word)) as [L|L].
  - rewrite map_nth. rewrite Forall_forall in Hword.
    specialize (Hword _ (nth_In word 0%nat L)). lia.
  - rewrite nth_overflow by (rewrite map_length; lia). exact Hemb. Qed.
Lemma monoid : (e1 < M)%nat /\ gn c 0 = e1 /\ (forall k, (k < length (emb f))%nat -> (gn c k < M)%nat) /\ (forall a, (a < M)%nat ->
  mul a e1 = a /\ mul e1 a = a) /\
  (forall a b, (a < M)%nat -> (b < M)%nat -> (mul a b < M)%nat) /\ (forall a b d, (a < M)%nat -> (b < M)%nat -> (d < M)%nat ->
    mul (mul a b) d = mul a (mul b d)).
Proof. pose proof Hmon as K. unfold monoidok in K. split_and.
  match goal with H : all M _ = true |- _ => pose proof (fun a (X : (a < M)%nat) => all_ok _ _ a H X) as Ha; clear H end.
  match goal with H : all _ _ = true |- _ => pose proof (fun a (X : (a < _)%nat) => all_ok _ _ a H X) as Hkk; clear H end. cbv beta in *.
  repeat match goal with H : Nat.ltb _ _ = true |- _ => apply Nat.ltb_lt in H | H : Nat.eqb _ _ = true |- _ => apply Nat.eqb_eq in H end.
  split; [assumption|]. split; [assumption|]. split; [intros k X; apply Nat.ltb_lt, Hkk, X|]. split; [|split].
  - intros a X. specialize (Ha a X). split_and. split; apply Nat.eqb_eq; assumption.
  - intros a b X Y. specialize (Ha a X). split_and. match goal with H : all M _ = true |- _ => pose proof (all_ok _ _ b H Y) as Z end.
    cbv beta in Z. split_and. apply Nat.ltb_lt. assumption.
  - intros a b x X Y W. specialize (Ha a X). split_and. match goal with H : all M _ = true |- _ => pose proof
    (all_ok _ _ b H Y) as Z end. cbv beta in Z. split_and.
    match goal with H : all M _ = true |- _ => pose proof (all_ok _ _ x H W) as Q end. apply Nat.eqb_eq in Q. exact Q. Qed.
Lemma wd_in p : (wd p < M)%nat.
Proof. apply monoid. apply kind_in. Qed.
Lemma wd_0 : wd 0 = e1.
Proof. apply monoid. Qed.
Definition PP := letters mul e1 wd.
Lemma PP_in a n : (PP a n < M)%nat.
Proof. unfold PP. induction n; simpl; [apply monoid|]. apply monoid; [assumption|apply wd_in]. Qed.
Lemma PP_split a n k : mul (PP a n) (PP (a + n) k) = PP a (n + k).
Proof. unfold PP. induction k as [|k IH]; [simpl; rewrite Nat.add_0_r; apply monoid, PP_in|]. cbn [letters].
  replace (n + S k)%nat with (S (n + k)) by lia. cbn [letters]. rewrite <- IH.
  destruct monoid as (_ & _ & _ & _ & _ & A). rewrite A by (try apply PP_in; apply wd_in).
    replace (a + n + S k)%nat with (a + S (n + k))%nat by lia. reflexivity. Qed.
(* the product of the last x letters at position p *)
Definition Lab x p := PP (p - x) (p - (p - x)).
Lemma Lab_in x p : (Lab x p < M)%nat.
Proof. apply PP_in. Qed.
Lemma Lab_mul x y p : mul (Lab x (p - y)) (Lab y p) = Lab (x + y) p.
Proof. unfold Lab. replace (p - y - x)%nat with (p - (x + y))%nat by lia. set (a := (p - (x + y))%nat).
  replace (PP (p - y) (p - (p - y))) with (PP (a + (p - y - a)) (p - (p - y))) by (f_equal; lia). rewrite PP_split. f_equal. lia. Qed.

Definition holds (s : env) (len : shift) (t : stage) (h : nat -> nat -> R) :=
  forall p i, (i < m)%nat -> h p i = dot (nth i (token f t (Lab (val s len) p)) nil) (atom K s (shifts t) p).

(* the heads of the list fetch the factors of the product *)
Lemma val_times (s : nat) n len : (0 <= n)%Z -> (1 <= s)%nat -> good len = true -> val s (times n len) = (Z.to_nat n * val s len)%nat.
Proof. intros N S G. apply (good_pos s) in G; [|exact S]. unfold val, times. cbn [fst snd].
  replace (n * fst len * Z.of_nat s + n * snd len)%Z with (n * (fst len * Z.of_nat s + snd len))%Z by ring.
  rewrite Z2Nat.inj_mul by assumption. reflexivity. Qed.
Lemma ordered_pos bs hcs len fs j : ordered bs hcs len fs = Some j -> (1 <= j)%Z.
Proof. revert j. induction fs as [|d fs IH]; intros j H; cbn [ordered] in H; [assert (j = 1)%Z by congruence; lia|].
  destruct (ordered bs hcs len fs) as [i|]; [|discriminate]. destruct (reach bs (nth d hcs Uniform)) as [b|]; [|discriminate].
    destruct (same _ _); [|discriminate]. specialize (IH i eq_refl). assert (j = i + 1)%Z by congruence. lia. Qed.
Lemma prod_ok (s : env) bs hcs len p fs j : (1 <= s)%nat -> good len = true -> ordered bs hcs len fs = Some j ->
  prod c fs (map (fun hc => selected s bs (Lab (val s len)) hc p) hcs) (Lab (val s len) p) = Lab (val s (times j len)) p.
Proof. intros S G. revert j. induction fs as [|d fs IH]; intros j H; cbn [ordered] in H.
  - assert (j = 1)%Z by congruence. subst. cbn [prod fold_right]. rewrite val_times by (auto; lia). f_equal.
    change (Z.to_nat 1) with 1%nat. lia.
  - destruct (ordered bs hcs len fs) as [i|] eqn:O; [|discriminate].
    destruct (reach bs (nth d hcs Uniform)) as [b|] eqn:N; [|discriminate]. destruct (same _ _) eqn:E; [|discriminate].
    apply same_ok in E. assert (j = i + 1)%Z by congruence. subst j. pose proof (ordered_pos _ _ _ _ _ O) as I.
    unfold prod in *. cbn [fold_right]. rewrite (IH i eq_refl).
    change 0%nat with (selected s bs (Lab (val s len)) Uniform p) at 1.
      rewrite (map_nth (fun hc => selected s bs (Lab (val s len)) hc p)). unfold selected at 1. rewrite N, E, Lab_mul. f_equal.
    rewrite !val_times by (auto; lia). rewrite Z2Nat.inj_add by lia. change (Z.to_nat 1) with 1%nat. lia. Qed.
(* the choice of labels that the checker has for what the heads select *)
Fixpoint choose (fs : list nat) (i : nat) (outs : list (list mat)) (ls : list nat) : list nat :=
  match outs, ls with os :: outs, b :: ls => (if free fs i os then 0%nat else b) :: choose fs (S i) outs ls | _, _ => nil end.
Lemma choose_in fs outs : forall i ls, length ls = length outs -> Forall (fun b => (b < M)%nat) ls ->
  In (choose fs i outs ls) (tuples c fs i outs).
Proof. induction outs as [|os outs IH]; intros i [|b ls] L F; try discriminate; [simpl; auto|]. cbn [choose tuples]. inversion F; subst.
  apply in_flat_map.
  exists (if free fs i os then 0%nat else b). split; [destruct (free fs i os); [simpl; auto|apply in_seq; lia]|].
    apply in_map, IH; [cbn in L; lia|assumption]. Qed.
Lemma choose_length fs outs : forall i ls, length ls = length outs -> length (choose fs i outs ls) = length outs.
Proof. induction outs as [|os outs IH]; intros i [|b ls] L; try discriminate; [reflexivity|]. cbn [choose length]. f_equal. apply IH.
  cbn in L. lia. Qed.
(* a factor of the product keeps its label *)
Lemma choose_nth fs outs d : In d fs -> forall i ls, length ls = length outs -> (i <= d)%nat ->
  nth (d - i) (choose fs i outs ls) 0%nat = nth (d - i) ls 0%nat.
Proof. intro I. induction outs as [|os outs IH]; intros i [|b ls] L D; try discriminate; [reflexivity|]. cbn [choose].
  destruct (Nat.eq_dec d i) as [->|N].
  - rewrite Nat.sub_diag. cbn [nth]. unfold free. replace (existsb (Nat.eqb i) fs) with true; [rewrite andb_false_r; reflexivity|].
    symmetry. apply existsb_exists. exists i. split; [exact I|apply Nat.eqb_refl].
  - replace (d - i)%nat with (S (d - S i)) by lia. cbn [nth]. apply IH; [cbn in L; lia|lia]. Qed.
Lemma choose_prod fs outs ls a : length ls = length outs -> prod c fs (choose fs 0 outs ls) a = prod c fs ls a.
Proof. intro L. unfold prod. assert (G : forall fs', incl fs' fs ->
  fold_right (fun d x => mul (nth d (choose fs 0 outs ls) 0%nat) x) a fs' = fold_right (fun d x => mul (nth d ls 0%nat) x) a fs').
  { induction fs' as [|d fs' IH]; intro I; [reflexivity|]. cbn [fold_right]. rewrite IH by (intros x X; apply I; simpl; auto). f_equal.
    pose proof (choose_nth fs outs d (I d (or_introl eq_refl)) 0 ls L ltac:(lia)) as E. rewrite Nat.sub_0_r in E. exact E. }
  apply G, incl_refl. Qed.
(* what the heads add is the same for the choice *)
Lemma flat_ok os b : flat os = true -> (b < length os)%nat -> nth b os nil = nth 0 os nil.
Proof. intros H L. unfold flat in H. rewrite forallb_forall in H. specialize (H _ (nth_In os nil L)). unfold same_mat in H.
  destruct (mat_dec _ _) as [E|]; [symmetry; exact E|discriminate]. Qed.
Lemma choose_outs fs outs : forall i ls, length ls = length outs -> Forall (fun os : list mat => length os = M) outs ->
  Forall (fun b => (b < M)%nat) ls ->
  map (fun ob => nth (snd ob) (fst ob) nil) (combine outs (choose fs i outs ls)) = map (fun ob => nth (snd ob) (fst ob) nil)
    (combine outs ls).
Proof. induction outs as [|os outs IH]; intros i [|b ls] L FO F; try discriminate; [reflexivity|]. cbn [choose combine map fst snd].
  f_equal; [|apply IH; [cbn in L; lia|apply (Forall_inv_tail FO)|apply (Forall_inv_tail F)]].
  destruct (free fs i os) eqn:E; [|reflexivity]. unfold free in E. apply andb_true_iff in E as [E _]. symmetry. apply flat_ok; [exact E|].
  rewrite (Forall_inv FO). apply (Forall_inv F). Qed.

(* hidden units: the table gives the forms of those that can be positive *)
Lemma dot_plus r x y : dot r (fun i => x i + y i) = dot r x + dot r y.
Proof. induction r as [|[i v] r IH]; cbn [dot]; [ring|]. rewrite IH. ring. Qed.
Lemma dot_null r : dot r (fun _ => 0) = 0.
Proof. induction r as [|[i v] r IH]; cbn [dot]; [reflexivity|]. rewrite IH. ring. Qed.
Definition outsum (outs : list (list mat)) (t : list nat) (i : nat) (x : nat -> R) : R :=
  fold_right (fun o a => dot (nth i o nil) x + a) 0 (map (fun ob => nth (snd ob) (fst ob) nil) (combine outs t)).
Lemma flat_dot {A} (g : A -> row) l x : dot (flat_map g l) x = fold_right (fun o a => dot (g o) x + a) 0 l.
Proof. induction l as [|o l IH]; [reflexivity|]. cbn [flat_map fold_right]. rewrite dot_app, IH. reflexivity. Qed.
Lemma after_ok own outs t i x : (i < m)%nat ->
  dot (nth i (after f own (map (fun ob => nth (snd ob) (fst ob) nil) (combine outs t))) nil) x = dot (nth i own nil) x + outsum outs t i x.
Proof. intro H. unfold after, outsum. rewrite nth_map_seq by exact H. rewrite dot_canon, dot_app. f_equal.
  apply (flat_dot (fun o : mat => nth i o nil)). Qed.
Lemma most_ok rs q x b : x 0%nat = 1 -> most rs = Some q -> dot (nth b rs nil) x <= Q2R q.
Proof. intro X. revert q b. induction rs as [|r rs IH]; intros q b H; cbn [most] in H.
  - assert (q = 0%Q) by congruence. subst. rewrite z0. destruct b; cbn [nth dot]; lra.
  - destruct (most rs) as [q'|] eqn:E; [|discriminate]. destruct (isconst r) eqn:C; [|discriminate]. cbv zeta in H.
    assert (Q : q = if Qle_bool (coef r 0) q' then q' else coef r 0) by congruence. pose proof (isconst_dot r x X C) as D.
    destruct (Qle_bool (coef r 0) q') eqn:LE.
    + apply Qle_bool_iff, Qle_Rle in LE. subst q. destruct b as [|b]; cbn [nth]; [rewrite D; exact LE|apply IH; reflexivity].
    + assert (LT : Q2R q' < Q2R (coef r 0)) by (apply lt_q; rewrite LE; reflexivity).
      subst q. destruct b as [|b]; cbn [nth]; [rewrite D; lra|]. specialize (IH q' b eq_refl). lra. Qed.
Lemma fetched_dot (rss : list (list row)) t x : dot (fetched rss t) x = fold_right (fun p a => dot (nth (snd p) (fst p) nil) x + a) 0
  (combine rss t).
Proof. apply (flat_dot (fun p : list row * nat => nth (snd p) (fst p) nil)). Qed.
Lemma most_of_ok rss : forall q t x, x 0%nat = 1 -> length t = length rss -> most_of rss = Some q -> dot (fetched rss t) x <= Q2R q.
Proof. induction rss as [|rs rss IH]; intros q [|b t] x X L H; try discriminate; cbn [most_of fold_right] in H.
  - assert (q = 0%Q) by congruence. subst. rewrite z0. cbn. lra.
  - destruct (most rs) as [u|] eqn:U; [|discriminate]. fold (most_of rss) in H. destruct (most_of rss) as [v|] eqn:V; [|discriminate].
    assert (Q : q = Qred (u + v)) by congruence. subst. rewrite qr, Q2R_plus. unfold fetched. cbn [combine flat_map fst snd].
      rewrite dot_app. apply Rplus_le_compat.
    + apply most_ok; assumption.
    + apply (IH v t x X); [cbn in L; lia|reflexivity]. Qed.
Lemma dead_ok own rss t x : x 0%nat = 1 -> length t = length rss -> dead own (most_of rss) = true ->
  relu (dot (own ++ fetched rss t) x) = 0.
Proof. intros X L H. unfold dead in H. destruct (most_of rss) as [q|] eqn:E; [|discriminate]. split_and. rewrite dot_app.
  pose proof (most_of_ok rss q t x X L E) as B.
  rewrite (isconst_dot own x X) by assumption. match goal with H : Qle_bool _ 0 = true |- _ => apply Qle_bool_iff, Qle_Rle in H;
    rewrite Q2R_plus, z0 in H end.
  unfold relu. apply Rmax_right. lra. Qed.
Lemma scaled_out k mask bs (outs : list (list mat)) t j x : (j < m)%nat ->
  outsum (map (map (znorm f c (dense f mask) (Scale k) bs)) outs) t j x = Q2R k * (Q2R (coef mask j) * outsum outs t j x).
Proof. intro H. unfold outsum. revert t. induction outs as [|os outs IH]; intros [|b t]; cbn [map combine fold_right fst snd]; try ring.
  rewrite IH.
  assert (E : dot (nth j (nth b (map (znorm f c (dense f mask) (Scale k) bs) os) nil) nil) x = Q2R k * (Q2R (coef mask j) * dot (nth j
    (nth b os nil) nil) x)).
  { destruct (le_lt_dec (length os) b) as [L|L].
    - rewrite !nth_overflow with (n := b) by (rewrite ?map_length; exact L). destruct j; cbn [nth dot]; ring.
    - rewrite (nth_indep _ nil (znorm f c (dense f mask) (Scale k) bs nil)) by (rewrite map_length; exact L). rewrite map_nth.
      apply scaled_nth; assumption. }
  eapply eq_trans; [apply Rplus_eq_compat_r; exact E|rewrite !Rmult_plus_distr_l; reflexivity]. Qed.
Lemma unit_fetched r zf t x : length t = length zf -> dot (fetched (map (map (lin r)) zf) t) x = dot r (fun j => outsum zf t j x).
Proof. intro L. rewrite fetched_dot. unfold outsum. revert t L.
  induction zf as [|z zf IH]; intros [|b t] L; try discriminate; cbn [map combine fold_right fst snd].
  - symmetry. apply dot_null.
  - rewrite IH by (cbn in L; lia). rewrite (dot_plus r (fun j => dot (nth j (nth b z nil) nil) x)). f_equal.
    destruct (le_lt_dec (length z) b) as [N|N].
    + rewrite nth_overflow by (rewrite map_length; exact N). rewrite (nth_overflow z) by exact N.
      rewrite (dot_ext_all r _ (fun _ => 0)) by (intros []; reflexivity). rewrite dot_null. reflexivity.
    + rewrite (nth_indep _ nil (lin r nil)) by (rewrite map_length; exact N). rewrite map_nth. unfold lin. rewrite dot_canon. symmetry.
      apply dot_subst_all. reflexivity. Qed.
Theorem table_ok us zo zf a t z x : x 0%nat = 1 -> matin m (map fst us) = true -> (a < length zo)%nat -> length t = length zf ->
  (forall j, (j < m)%nat -> z j = dot (nth j (nth a zo nil) nil) x + outsum zf t j x) ->
  forall i, unitsum us z i = unitsum (at_tuple (living a (table us zo zf)) t) x i.
Proof. intros X MI La Lt Z i. induction us as [|u us IH]; [reflexivity|]. cbn [map matin forallb] in MI.
  apply andb_true_iff in MI as [B MI]. specialize (IH MI).
  cbn [unitsum]. rewrite IH. unfold table, living. cbn [map flat_map fst snd].
  set (own := nth a (map (lin (fst u)) zo) nil). set (rss := map (map (lin (fst u))) zf).
  assert (E : dot (fst u) z = dot (own ++ fetched rss t) x).
  { assert (O : dot own x = dot (fst u) (fun j => dot (nth j (nth a zo nil) nil) x)).
    { unfold own. rewrite (nth_indep _ nil (lin (fst u) nil)) by (rewrite map_length; exact La). rewrite map_nth. unfold lin.
      rewrite dot_canon.
      symmetry. apply dot_subst_all. reflexivity. }
    rewrite dot_app, O. unfold rss. rewrite unit_fetched by exact Lt. rewrite <- dot_plus. apply (dot_ext_in m); assumption. }
  fold (table us zo zf). fold (living a (table us zo zf)). 
  match goal with |- context [if ?d then _ else _] => change d with (dead own (most_of rss)) end.
    destruct (dead own (most_of rss)) eqn:D; cbn [app].
  - rewrite E, (dead_ok own rss t x X) by (try exact D; unfold rss; rewrite map_length; exact Lt). rewrite Rmult_0_r, Rplus_0_l.
    reflexivity.
  - unfold at_tuple. cbn [map unitsum fst snd]. rewrite dot_canon. rewrite E. reflexivity. Qed.
Theorem layer_ok t len y k h (s : env) : (1 <= s)%nat -> good len = true -> layerok f c t len y k = true -> holds s len t h ->
  holds s (longer_by t len k) (next k) (layer f (tokens word) h y).
Proof. intros Hs G H Hh p i Hi. unfold layerok in H. cbv zeta in H. split_and.
  match goal with H : Nat.eqb _ _ = true |- _ => apply Nat.eqb_eq in H; rename H into HL end.
  match goal with H : all M (fun a => ((match heads y with nil => _ | _ => _ end)
    && _)%bool) = true |- _ => pose proof (fun a X => all_ok _ _ a H X) as N1; clear H; cbv beta in N1 end.
  match goal with H : all M (fun a => forallb _ _) = true |- _ => pose proof (fun a X => all_ok _ _ a H X) as FF; clear H;
    cbv beta in FF end.
  match goal with H : forallb (fun hd => headok _ _ _ _ _ _ _) _ = true |- _ => rename H into HO end.
  match goal with H : matin _ _ = true |- _ => rename H into MI end.
  assert (N2 : heads y = nil \/ forall a, (a < M)%nat -> normok f c (dense f (amask y)) (norm1 k) (shifts t) (nth a (map (token f t)
    (seq 0 M)) nil) = true).
  { destruct (heads y); [left; reflexivity|right]. intros a X. specialize (N1 a X). apply andb_true_iff in N1. apply N1. }
  unfold longer_by. destruct (ordered (shifts t) (headcs k) len (factors k)) as [j|] eqn:OR; [|discriminate].
  set (lab := Lab (val s len)). set (ts := map (token f t) (seq 0 M)) in *. set (bs := shifts t) in *. set (bs' := shifts (next k)) in *.
  assert (TS : forall a, (a < M)%nat -> nth a ts nil = token f t a) by (intros; apply nth_map_seq; assumption).
  assert (LI : forall q, (lab q < M)%nat) by (intro; apply Lab_in).
  set (sel := map (fun hc => selected s bs lab hc p) (headcs k)).
  set (Z := map (znorm f c (dense f (amask y)) (norm1 k) bs) ts) in *.
  set (outs := map (fun hd => map (headout f bs bs' (fst hd) (snd hd)) Z) (combine (headcs k) (heads y))) in *.
  assert (SL : forall hc, (selected s bs lab hc p < M)%nat) by (intro hc; unfold selected; destruct (reach bs hc); [apply LI|];
    apply (Nat.le_lt_trans _ (lab 0%nat) _ (Nat.le_0_l _)), LI).
  assert (SF : Forall (fun b => (b < M)%nat) sel) by (unfold sel; apply Forall_forall; intros b I;
    apply in_map_iff in I as (hc & <- & _); apply SL).
  assert (SO : length sel = length outs) by (unfold sel, outs; rewrite !map_length, combine_length; lia).
  assert (FO : Forall (fun os : list mat => length os = M) outs).
  { apply Forall_forall. intros os I. unfold outs in I. apply in_map_iff in I as (hd & <- & _). unfold Z, ts. rewrite !map_length.
    apply seq_length. }
  set (tup := choose (factors k) 0 outs sel).
  pose proof (FF (lab p) (LI p)) as F1. cbv zeta in F1. rewrite forallb_forall in F1.
    specialize (F1 tup (choose_in (factors k) outs 0 sel SO SF)). cbv beta in F1.
  apply andb_true_iff in F1 as [NF ST].
  assert (PR : prod c (factors k) tup (lab p) = Lab (val s (times j len)) p).
  { unfold tup. rewrite choose_prod by exact SO. exact (prod_ok s bs (headcs k) len p (factors k) j Hs G OR). }
  rewrite PR in ST. rewrite (nth_map_seq (token f (next k))) in ST by apply Lab_in.
  set (own := nth (lab p) (map (moveall none bs bs') ts) nil) in *.
  set (t2 := after f own (map (fun ob => nth (snd ob) (fst ob) nil) (combine outs tup))) in *.
  set (E := atom K s bs' p).
  assert (OWN : own = moveall none bs bs' (nth (lab p) ts nil)).
  { unfold own. rewrite (nth_indep _ nil (moveall none bs bs' nil)) by (unfold ts; rewrite !map_length, seq_length; apply LI).
    apply map_nth. }
  assert (AT : forall q, (q < m)%nat -> attention f (tokens word) y h p q = dot (nth q t2 nil) E).
  { intros q Hq. unfold t2, tup. rewrite choose_outs by assumption. rewrite OWN.
    assert (MV : movable none bs bs' (nth (lab p) ts nil) = true) by (specialize (N1 (lab p) (LI p)); apply andb_true_iff in N1; apply N1).
    destruct N2 as [N2|N2].
    - unfold outs. rewrite N2, combine_nil. cbn [map combine]. apply (attention_nil f c word y s bs bs' lab ts h); try assumption.
      intros q' i' L. rewrite TS by apply LI. apply Hh, L.
    - assert (OUT : map (fun ob => nth (snd ob) (fst ob) nil) (combine outs sel) =
         map (fun hd => headout f bs bs' (fst hd) (snd hd) (nth (selected s bs lab (fst hd) p) Z nil)) (combine (headcs k) (heads y))).
      { unfold outs, sel. clear - HL LI SL Hm Hk Hmon Hemb Hword. revert HL. generalize (heads y).
        induction (headcs k) as [|hc hcs IH]; intros [|d' ds'] HL; try discriminate; [reflexivity|].
        cbn [combine map fst snd]. f_equal; [|apply IH; cbn in HL; lia].
        rewrite (nth_indep _ nil (headout f bs bs' hc d' nil)) by (unfold Z, ts; rewrite !map_length, seq_length; apply SL).
          apply map_nth. }
      rewrite OUT. apply (attention_ok f c word y (norm1 k) s bs bs' lab ts h); try assumption.
      + unfold ts. rewrite map_length. apply seq_length.
      + intros q' i' L. rewrite TS by apply LI. apply Hh, L. }
  unfold layer, feedforward. rewrite AT by exact Hi.
  assert (US : forall us', settled t2 (scatter m us') (token f (next k) (Lab (val s (times j len)) p)) = true ->
    unitsum (units y) (norm f (masked (fmask y) (attention f (tokens word) y h p))) i = unitsum us' E i ->
    dot (nth i t2 nil) E + unitsum (units y) (norm f (masked (fmask y) (attention f (tokens word) y h p))) i = dot (nth i (token f (next
      k) (Lab
      (val s (times j len)) p)) nil) E).
  { intros us' S' U. rewrite U. apply (settled_ok m us' E); [reflexivity|exact Hi|exact S']. }
  assert (NO : forall q, (q < m)%nat -> norm f (masked (fmask y) (attention f (tokens word) y h p)) q = dot (nth q (znorm f c (dense f
    (fmask y))
    (norm2 k) bs' t2) nil) E).
  { intros q Hq. apply (norm_ok f c Hm Hk (fmask y) (norm2 k) t2 s bs' p); assumption. }
  apply (US _ ST). destruct (norm2 k) as [kk|sc|from block sc|high low parity sc|]; [|apply (plain_ok m); assumption..].
  apply (table_ok _ _ _ (lab p)); [reflexivity|exact MI| | |].
  - unfold ts. rewrite !map_length, seq_length. apply LI.
  - unfold tup. rewrite map_length. apply choose_length, SO.
  - intros q Hq. rewrite NO by exact Hq. rewrite scaled_nth by assumption. rewrite scaled_out by assumption. unfold t2.
    rewrite after_ok by exact Hq.
    rewrite (nth_indep _ nil (znorm f c (dense f (fmask y)) (Scale kk) bs' nil)) by (unfold ts; rewrite !map_length, seq_length; apply LI).
      rewrite map_nth.
    rewrite scaled_nth by assumption. fold own. ring. Qed.
Lemma good_times n len : (0 <= n)%Z -> good len = true -> good (times n len) = true.
Proof. unfold good, times. cbn [fst snd]. intros N G. apply andb_true_iff in G as [A B]. apply Z.leb_le in A, B. apply andb_true_iff.
  split; apply Z.leb_le; nia. Qed.
Lemma good_longer t len k : good len = true -> good (longer_by t len k) = true.
Proof. intro G. unfold longer_by. destruct (ordered _ _ _ _) as [j|] eqn:O; [|exact G]. apply good_times; [|exact G].
  apply ordered_pos in O. lia. Qed.
Theorem layers_ok (s : env) ys : (1 <= s)%nat -> forall ks t len t' len' h, good len = true -> layersok f c t len ys ks = Some (t', len') ->
  holds s len t h ->
  holds s len' t' (block f (tokens word) ys h) /\ good len' = true.
Proof. intro Hs. induction ys as [|y ys IH]; intros [|k ks] t len t' len' h G H Hh; try discriminate; cbn [layersok] in H.
  - assert (t' = t /\ len' = len) as [-> ->] by (split; congruence). split; assumption.
  - destruct (layerok f c t len y k) eqn:L; [|discriminate]. unfold block. cbn [fold_left].
    apply (IH ks (next k) (longer_by t len k)); [apply good_longer, G|exact H|].
    apply layer_ok; assumption. Qed.
Lemma moveall_dot (s : env) bs bs' (x : mat) p i : (1 <= s)%nat -> goods bs = true -> movable none bs bs' x = true ->
  dot (nth i (moveall none bs bs' x) nil) (atom K s bs' p) = dot (nth i x nil) (atom K s bs p).
Proof. intros Hs G MV. unfold moveall, movable in *. revert i. induction x as [|r x IH]; intros [|i]; try reflexivity;
    cbn [forallb] in MV; apply andb_true_iff in MV as [B MV]; cbn [map nth]; [|apply IH, MV].
  destruct (move none bs bs' r) as [r'|] eqn:E; [|discriminate].
  rewrite (move_ok K s none bs bs' p r Hs G eq_refl r' E), val_zero, Nat.sub_0_r. reflexivity. Qed.
(* a stream that one stage describes at stride s is described by another one at stride s' *)
Theorem restaged_ok t to bs' (s s' : env) len len' h : (1 <= s)%nat -> restaged f c t to bs' = true ->
  (forall p, Lab (val s len) p = Lab (val s' len') p) ->
  (forall p i, atom K s bs' p i = atom K s' (shifts to) p i) -> holds s len t h -> holds s' len' to h.
Proof. intros Hs H E A Hh p i Hi. unfold restaged in H. apply andb_true_iff in H as [G H]. apply andb_true_iff in G as [G G'].
  rewrite Hh, <- E by exact Hi. set (a := Lab (val s len) p). pose proof (all_ok _ _ a H (Lab_in _ _)) as Q. cbv beta zeta in Q. split_and.
  match goal with H : all _ _ = true |- _ => pose proof (all_ok _ _ i H Hi) as EQ end. cbv beta in EQ.
  rewrite <- (dot_ext_all _ _ _ (fun j => A p j)). rewrite <- (moveall_dot s bs' bs' (token f to a) p i) by assumption.
  rewrite <- (eqr_ok _ _ _ EQ), moveall_dot by assumption. reflexivity. Qed.
End Layers.
