(* The theorem of cascades of resets (aperiodic languages in constant depth): if resetcheck f c X r computes to true, the file accepts
   exactly what the automaton X accepts, and the prefix read-out is that of every prefix, for every admissible word. *)
Require Import Reals Lra Lia Psatz ZArith QArith Qreals List Bool Arith ZifyNat.
From Logdepth Require Import Codes Rows Model Statement Settle FirstFlag Atoms Checker Norms Attention Layers ReadOut ShiftScan
  ResetsChecker.
Import ListNotations.
Open Scope R_scope.

(* equal scores select alike *)
Lemma argmax_ext s s' l : (forall j, s j = s' j) -> argmax s l = argmax s' l.
Proof. intro E. unfold argmax. apply filter_ext. intro j. induction l as [|a l IH]; [reflexivity|]. cbn [forallb]. rewrite IH, !E.
  reflexivity. Qed.
(* the code that a head of the last token reads grows with the position, below 1 *)
Lemma rising_bound k p : codingok k = true -> rising k = true -> 0 <= code k 0 p < 1.
Proof. intros OK H. destruct k as [[| |b]|L]; try discriminate; cbn [code kc].
  - cbn [rising] in H. apply Nat.leb_le in H. unfold cx. set (t := 2 * INR p + INR b). assert (T1 : 1 <= t).
    { unfold t. pose proof (pos_INR p). assert (1 <= INR b) by (replace 1 with (INR 1) by reflexivity; apply le_INR; exact H). lra. }
    assert (P : 0 < 1 + t * t) by nra. replace (- ((1 - t * t) / (1 + t * t))) with (1 - 2 / (1 + t * t)) by (field; lra).
    assert (0 < 2 / (1 + t * t)) by (apply Rdiv_lt_0_compat; lra).
    assert (2 / (1 + t * t) <= 1) by (apply Rmult_le_reg_r with (1 + t * t); [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra;
      nra). lra.
  - apply pos_q in OK. unfold ph0. pose proof (rad_pos (Q2R L) p OK) as R. pose proof (rad_sq (Q2R L) p OK) as S. pose proof (pos_INR p).
    split.
    + apply Rmult_le_pos; [lra|]. apply Rlt_le, Rinv_0_lt_compat, R.
    + apply Rmult_lt_reg_r with (rad (Q2R L) p); [exact R|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. nra. Qed.
Lemma rising_order k p q : codingok k = true -> rising k = true -> (p < q)%nat -> code k 0 p < code k 0 q.
Proof. intros OK H N. apply lt_INR in N. pose proof (pos_INR p). destruct k as [[| |b]|L]; try discriminate; cbn [code kc].
  - unfold cx. set (t := 2 * INR p + INR b). set (u := 2 * INR q + INR b). pose proof (pos_INR b). assert (t < u) by (unfold t, u; lra).
    assert (0 <= t) by (unfold t; lra).
    replace (- ((1 - t * t) / (1 + t * t))) with (1 - 2 * / (1 + t * t)) by (field; nra).
      replace (- ((1 - u * u) / (1 + u * u))) with (1 - 2 * / (1 + u * u)) by (field; nra).
    assert (Q1 : 0 < 1 + t * t) by nra. assert (Q2 : 0 < 1 + u * u) by nra. assert (Q3 : 1 + t * t < 1 + u * u) by nra.
    assert (/ (1 + u * u) < / (1 + t * t)) by (apply Rinv_lt_contravar; [apply Rmult_lt_0_compat; assumption | exact Q3]). lra.
  - apply pos_q in OK. set (l := Q2R L) in *. unfold ph0. pose proof (rad_pos l p OK) as Rp. pose proof (rad_pos l q OK) as Rq.
    pose proof (rad_sq l p OK) as Sp. pose proof (rad_sq l q OK) as Sq.
    apply Rmult_lt_reg_r with (rad l p * rad l q); [apply Rmult_lt_0_compat; assumption|].
    replace (INR p / rad l p * (rad l p * rad l q)) with (INR p * rad l q) by (field; lra).
      replace (INR q / rad l q * (rad l p * rad l q)) with (INR q * rad l p) by (field; lra).
    destruct (Rlt_dec (INR p * rad l q) (INR q * rad l p)) as [|B]; [assumption|exfalso].
    assert (INR q * rad l p * (INR q * rad l p) <= INR p * rad l q * (INR p * rad l q)) by (apply Rmult_le_compat; [apply Rmult_le_pos;
      lra | apply Rmult_le_pos; lra | lra | lra]).
    replace (INR q * rad l p * (INR q * rad l p)) with (INR q * INR q * (rad l p * rad l p)) in * by ring.
    replace (INR p * rad l q * (INR p * rad l q)) with (INR p * INR p * (rad l q * rad l q)) in * by ring.
    rewrite Sp, Sq in *. assert (D : 0 < (INR q * INR q - INR p * INR p) * (l * l)) by (apply Rmult_lt_0_compat; nra). lra. Qed.
(* Lemma last_flag: a flag of at least one slope outweighs every position, among equal flags the last position wins *)
Lemma last_flag k (w : nat -> R) slope top p e : codingok k = true -> rising k = true -> 0 < slope -> (e <= p)%nat -> w e = top ->
  (forall j, (j <= p)%nat -> w j = top /\ (j <= e)%nat \/ w j + slope <= top) ->
  argmax (fun j => w j + slope * code k 0 j) (seq 0 (S p)) = [e].
Proof. intros OK H S E W F. apply argmax_single; [apply seq_NoDup|apply in_seq; lia|]. intros j J N. apply in_seq in J.
  destruct (F j ltac:(lia)) as [[A B]|A].
  - pose proof (rising_order k j e OK H ltac:(lia)). rewrite A, W. nra.
  - pose proof (rising_bound k j OK H). pose proof (rising_bound k e OK H). rewrite W. nra. Qed.

Section Resets.
Set Default Proof Using "All".
Variables (f : file) (c : resetcert) (X : automaton) (rd : reading) (word : list nat).
Notation m := (width (net f)). Notation M := (nodes c). Notation C := (plaincert c). Notation K := (rcoded c).
  Notation letters := (length (emb f) - 1)%nat.
Hypothesis Hm : (0 < m)%nat.
Hypothesis Hk : codingok K = true.
Hypothesis Hemb : (1 < length (emb f))%nat.
Hypothesis Hmachine : machineok f c = true.
Hypothesis Hword : admissible f word.

(* the node of every token; beyond the word the first letter is read *)
Fixpoint node (p : nat) : nat := match p with O => 0 | S p => nx c (node p) (nth p word 0%nat) end.
Lemma machine : (0 < M)%nat /\ kd c 0 = 0%nat /\ forall q l, (q < M)%nat -> (l < letters)%nat -> (nx c q l < M)%nat /\
  kd c (nx c q l) = S l.
Proof. pose proof Hmachine as H. unfold machineok in H. split_and. match goal with H : Nat.ltb 0 _ = true |- _ => apply Nat.ltb_lt in H end.
  match goal with H : Nat.eqb _ _ = true |- _ => apply Nat.eqb_eq in H end. split; [assumption|]. split; [assumption|]. intros q l Q L.
  match goal with H : all M _ = true |- _ => pose proof (all_ok _ _ l (all_ok _ _ q H Q) L) as E end. cbv beta in E.
    apply andb_true_iff in E as [A B].
  apply Nat.ltb_lt in A. apply Nat.eqb_eq in B. split; assumption. Qed.
Lemma letter_in p : (nth p word 0 < letters)%nat.
Proof. destruct (le_lt_dec (length word) p) as [L|L]; [rewrite nth_overflow by exact L; lia|]. pose proof (proj1 Hword) as W.
  rewrite Forall_forall in W. apply W, nth_In, L. Qed.
Lemma node_in p : (node p < M)%nat.
Proof. induction p as [|p IH]; cbn [node]; [apply machine|]. apply machine; [exact IH|apply letter_in]. Qed.
Lemma node_kind p : kd c (node p) = kind word p.
Proof. destruct p as [|p]; cbn [node]; [apply machine|]. rewrite (proj2 (proj2 (proj2 machine) _ _ (node_in p) (letter_in p))).
  unfold kind. cbn [nth]. symmetry. apply (map_nth S word 0%nat). Qed.
Lemma edges_ok P p : edges f c P = true -> P (node p) (node (S p)) = true.
Proof. intro H. unfold edges in H. cbn [node]. exact (all_ok _ _ _ (all_ok _ _ _ H (node_in p)) (letter_in p)). Qed.
Lemma later p : node (S p) <> 0%nat.
Proof. intro E. pose proof (node_kind (S p)) as N. rewrite E in N. rewrite (proj1 (proj2 machine)) in N. unfold kind in N. cbn [nth] in N.
  rewrite (map_nth S word 0%nat) in N. discriminate. Qed.
Lemma alike_ok os a b : alike os a b = true -> nth a os nil = nth b os nil.
Proof. unfold alike, same_mat. destruct (mat_dec _ _) as [E|]; [auto|discriminate]. Qed.

Definition describes (t : stage) (h : nat -> nat -> R) :=
  forall p i, (i < m)%nat -> h p i = dot (nth i (token f t (node p)) nil) (atom K 1 (shifts t) p).
Lemma first_ok t : firstok f c t = true -> describes t (h0 f word).
Proof. intros H p i Hi. unfold firstok in H. apply andb_true_iff in H as [_ H].
  pose proof (all_ok _ _ i (all_ok _ _ _ H (node_in p)) Hi) as E. cbv beta in E.
  destruct (position_at f c (shifts t) (kd c (node p)) i) as [x|] eqn:PA; [|discriminate]. rewrite <- (eqr_ok _ _ _ E).
    rewrite node_kind in *. unfold h0. cbn [dot atom].
  rewrite Rmult_1_r. f_equal. unfold position_at in PA.
  assert (G : forall x, position0 f C (shifts t) i = Some x -> position f p i = dot x (atom K 1 (shifts t) p)) by (intros;
    apply (position0_ok f C); assumption).
  destruct (pi f) as [e l|first rest] eqn:PI; [apply G; exact PA|]. unfold position. rewrite PI.
  replace (Nat.eqb (kind word p) 0) with (Nat.eqb p 0) in PA.
  - assert (x = [(0%nat, coef (if Nat.eqb p 0 then first else rest) i)]) by congruence. subst. cbn [dot atom]. ring.
  - destruct p; [reflexivity|]. unfold kind. cbn [nth]. rewrite (map_nth S word 0%nat). reflexivity. Qed.

Section Layer.
Variables (y : layerw) (n1 : normc) (bs bs' : list shift) (ts : list mat) (h : nat -> nat -> R).
Hypothesis Hbs : goods bs = true.
Hypothesis Hlen : length ts = M.
Hypothesis Hnorm : forall q, (q < M)%nat -> normok f C (dense f (amask y)) n1 bs (nth q ts nil) = true.
Hypothesis Hh : forall p i, (i < m)%nat -> h p i = dot (nth i (nth (node p) ts nil) nil) (atom K 1 bs p).
Notation zs := (map (znorm f C (dense f (amask y)) n1) ts).
Notation z j := (norm f (masked (amask y) (h j))).
Lemma zs_nth {A} (g : mat -> A) q d : (q < M)%nat -> nth q (map g zs) d = g (nth q zs nil).
Proof. intro H. rewrite (nth_indep _ d (g nil)) by (rewrite !map_length, Hlen; exact H). apply map_nth. Qed.
Lemma vals d j i : matin m (hv d) = true -> (i < m)%nat ->
  dot (nth i (ho d) nil) (fun x => dot (nth x (hv d) nil) (z j)) = dot (nth i (nth (node j) (map (values f d) zs) nil) nil) (atom K 1 bs j).
Proof. intros H Hi. rewrite zs_nth by apply node_in.
  exact (values_ok f C y n1 1 bs node ts h Hm Hk node_in Hlen Hnorm Hh d j i H Hi). Qed.

(* the token that a head of the last flag selects *)
Fixpoint last_of (flag : nat -> bool) (p : nat) : nat := match p with O => 0 | S p => if flag (node (S p)) then S p else last_of flag p end.
Lemma last_of_flag flag p : flag 0%nat = true -> flag (node (last_of flag p)) = true.
Proof. intro H. induction p as [|p IH]; [exact H|]. cbn [last_of]. destruct (flag (node (S p))) eqn:E; assumption. Qed.
Lemma last_of_le flag p : (last_of flag p <= p)%nat.
Proof. induction p as [|p IH]; [reflexivity|]. cbn [last_of]. destruct (flag _); lia. Qed.
Lemma last_of_max flag p j : (j <= p)%nat -> flag (node j) = true -> (j <= last_of flag p)%nat.
Proof. induction p as [|p IH]; intros J F; [lia|]. cbn [last_of]. destruct (flag (node (S p))) eqn:E; [exact J|].
  destruct (Nat.eq_dec j (S p)) as [->|N]; [congruence|]. apply IH; [lia|exact F]. Qed.
Lemma held_ok flag held vs p : flag 0%nat = true -> alike vs 0 (nth 0 held 0%nat) = true ->
  edges f c (fun q q' => if flag q' then alike vs q' (nth q' held 0%nat) else alike vs (nth q held 0%nat) (nth q' held 0%nat)) = true ->
  nth (node (last_of flag p)) vs nil = nth (nth (node p) held 0%nat) vs nil.
Proof. intros F A E. induction p as [|p IH]; [apply alike_ok, A|]. pose proof (edges_ok _ p E) as Q. cbv beta in Q. cbn [last_of].
  destruct (flag (node (S p))); apply alike_ok in Q; [exact Q|rewrite IH; exact Q]. Qed.
Lemma history_ok vs history : forall before k, (forall p, nth (node (p - k)) vs nil = nth (nth (node p) before 0%nat) vs nil) ->
  historyok f c vs before history = true ->
  forall p, nth (node (p - (k + length history))) vs nil = nth (nth (node p) (last history before) 0%nat) vs nil.
Proof. induction history as [|now history IH]; intros before k B H p; [cbn [length last]; rewrite Nat.add_0_r; apply B|].
  cbn [historyok] in H. split_and. replace (k + length (now :: history))%nat with (S k + length history)%nat by (cbn [length]; lia).
  replace (last (now :: history) before) with (last history now) by (destruct history as [|a l]; [reflexivity|]; cbn [last]; clear;
    revert a; induction l; intro a'; [reflexivity|apply IHl]).
  apply IH; [|assumption]. clear p. intros [|p].
  - cbn [Nat.sub node]. apply alike_ok. assumption.
  - replace (S p - S k)%nat with (p - k)%nat by lia. rewrite B.
    match goal with H : edges _ _ _ = true |- _ => pose proof (edges_ok _ p H) as Q end.
    cbv beta in Q. apply alike_ok, Q. Qed.
Lemma constant_dot x e e' : constant x = true -> e 0%nat = e' 0%nat -> dot x e = dot x e'.
Proof. intros H E. induction x as [|[i v] x IH]; [reflexivity|]. cbn [constant forallb fst] in H. apply andb_true_iff in H as [A B].
  apply Nat.eqb_eq in A. subst. cbn [dot]. rewrite E, IH by exact B. reflexivity. Qed.
Lemma constants_nth (v : mat) i : forallb constant v = true -> constant (nth i v nil) = true.
Proof. intro H. destruct (nth_in_or_default i v nil) as [I|E]; [|rewrite E; reflexivity]. rewrite forallb_forall in H. apply H, I. Qed.
Lemma constant_coef x e : e 0%nat = 1 -> constant x = true -> dot x e = Q2R (coef x 0).
Proof. intros E H. apply isconst_dot; [exact E|]. clear E. induction x as [|[i v] x IH]; [reflexivity|]. cbn [constant forallb fst] in H.
  apply andb_true_iff in H as [A B].
  cbn [isconst forallb fst snd]. rewrite A. apply IH, B. Qed.
Lemma keyform_ok (qs ks : mat) x e : x 0%nat = 1 -> forallb constant qs = true -> score qs ks x e = dot (keyform qs ks) e.
Proof. intros E H. unfold keyform. rewrite dot_canon. revert ks. induction qs as [|q qs IH]; intros [|k ks]; try reflexivity.
  cbn [forallb] in H. apply andb_true_iff in H as [A B]. cbn [score combine flat_map fst snd]. rewrite dot_app, dot_scl, (IH B). f_equal.
  rewrite (constant_coef q x E A). reflexivity. Qed.
Lemma last_ok slope top held d p i : lastok f c bs slope top held d zs (map (values f d) zs) = true -> (i < m)%nat ->
  attend f (tokens word) y h d p i = dot (nth i (nth (nth (node p) held 0%nat) (map (values f d) zs) nil) nil) (atom K 1 bs' p).
Proof. intros H Hi. unfold lastok in H. cbv zeta in H. split_and. unfold attend. cbv zeta.
  match goal with H : causal d = true |- _ => rewrite H end. unfold visible.
  set (kf := map (fun z => keyform (nth 0 (map (forms (hq d)) zs) nil) (forms (hk d) z)) zs) in *.
  set (flag := fun q => Qeq_bool (coef (nth q kf nil) 0) top) in *.
  match goal with H : all M _ = true |- _ => pose proof (fun q Q => all_ok _ _ q H Q) as A; clear H; cbv beta in A end.
  match goal with H : same _ _ = true |- _ => apply same_ok in H; rename H into S0 end.
  match goal with H : forallb constant (nth 0 _ nil) = true |- _ => rename H into CQ end.
  match goal with H : negb _ = true |- _ => apply pos_q in H; rename H into SP end.
  assert (AT : forall t, atom K 1 bs t 3 = code K 0 t).
  { intro t. pose proof (atom_code K 1 bs t 0 0 ltac:(lia)) as E. change (3 + 4 * 0 + 0)%nat with 3%nat in E. rewrite E. unfold none in S0.
    rewrite S0, val_zero, Nat.sub_0_r. reflexivity. }
  assert (SC : forall j, score (hq d) (hk d) (z p) (z j) = Q2R (coef (nth (node j) kf nil) 0) + Q2R slope * code K 0 j).
  { intro j. rewrite (score_forms m (hq d) (hk d) (z p) (z j) (atom K 1 bs p) (atom K 1 bs j) (nth (node p) zs nil) (nth
    (node j) zs nil)); try assumption;
      try (intros; apply (z_ok f C y n1 1 bs node ts h Hm Hk node_in Hlen Hnorm Hh); assumption).
    pose proof (A (node p) (node_in p)) as Ap. pose proof (A (node j) (node_in j)) as Aj. split_and.
    match goal with H : same_mat (nth (node p) (map (forms (hq d)) zs) nil) _ = true |- _ => unfold same_mat in H;
      destruct (mat_dec (nth (node p) (map (forms (hq d)) zs) nil) (nth 0 (map (forms (hq d)) zs) nil)) as [E|]; [|discriminate] end.
    rewrite zs_nth in E by apply node_in. rewrite E, (keyform_ok _ _ (atom K 1 bs p)) by (try exact CQ; reflexivity).
    match goal with H : eqr (nth (node j) kf nil) _ = true |- _ => rename H into EJ end.
    assert (KJ : nth (node j) kf nil = keyform (nth 0 (map (forms (hq d)) zs) nil) (forms (hk d) (nth (node j) zs nil))) by (unfold kf;
      rewrite zs_nth by apply node_in; reflexivity).
    rewrite <- KJ, (eqr_ok _ _ (atom K 1 bs j) EJ). cbn [dot]. rewrite AT. cbn [atom]. ring. }
  set (e := last_of flag p).
  assert (F0 : flag 0%nat = true) by assumption.
  rewrite (argmax_ext _ (fun j => Q2R (coef (nth (node j) kf nil) 0) + Q2R slope * code K 0 j)) by exact SC.
  assert (FE : Q2R (coef (nth (node e) kf nil) 0) = Q2R top) by (apply eq_q; exact (last_of_flag flag p F0)).
  rewrite (last_flag K (fun j => Q2R (coef (nth (node j) kf nil) 0)) (Q2R slope) (Q2R top) p e); try assumption.
  - unfold average. cbn [sumf fold_right length INR]. rewrite <- (held_ok flag held (map (values f d) zs) p) by assumption. fold e.
    assert (CV : forallb constant (nth (node e) (map (values f d) zs) nil) = true).
    { pose proof (A (node e) (node_in e)) as Ae. pose proof (last_of_flag flag p F0) as FF. fold e in FF.
      apply andb_true_iff in Ae as [_ Ae].
      match type of Ae with (if ?b then _ else _) = true => change b with (flag (node e)) in Ae end. rewrite FF in Ae. exact Ae. }
    rewrite (constant_dot _ (atom K 1 bs' p) (atom K 1 bs e)) by (try reflexivity; apply constants_nth, CV).
    rewrite <- vals by assumption. apply dot_ext_all. intro x. field.
  - apply last_of_le.
  - intros j J. destruct (flag (node j)) eqn:FJ.
    + left. split; [apply eq_q, FJ|apply last_of_max; assumption].
    + right. pose proof (A (node j) (node_in j)) as Aj. apply andb_true_iff in Aj as [_ Aj].
      match type of Aj with (if ?b then _ else _) = true => change b with (flag (node j)) in Aj end. rewrite FJ in Aj.
      apply Qle_bool_iff, Qle_Rle in Aj. rewrite Q2R_plus in Aj. exact Aj. Qed.
Lemma mean_ok' d p i : meanok f c d zs (map (values f d) zs) = true -> (i < m)%nat ->
  attend f (tokens word) y h d p i = dot (nth i (averages f (nth 0 (map (values f d) zs) nil) (nth 1 (map (values f d) zs) nil)) nil)
    (atom K 1 bs' p).
Proof. intros H Hi. unfold meanok in H. split_and. unfold attend. cbv zeta. match goal with H : causal d = true |- _ => rewrite H end.
  unfold visible.
  set (vs := map (values f d) zs) in *. match goal with H : all M _ = true |- _ => pose proof (fun q Q => all_ok _ _ q H Q) as A;
    clear H; cbv beta in A end.
  rewrite (argmax_uniform _ 0).
  2:{ intros j _. rewrite (score_forms m (hq d) (hk d) (z p) (z j) (atom K 1 bs p) (atom K 1 bs j) (nth (node p) zs nil) (nth
    (node j) zs nil)); try assumption;
      try (intros; apply (z_ok f C y n1 1 bs node ts h Hm Hk node_in Hlen Hnorm Hh); assumption).
      pose proof (A (node p) (node_in p)) as Ap. split_and. apply nil_scores. assumption. }
  transitivity (average (fun j => dot (nth i (ho d) nil) (fun x => dot (nth x (hv d) nil) (z j))) (seq 0 (S p))).
  - apply (average_dot (nth i (ho d) nil) (fun x j => dot (nth x (hv d) nil) (z j))).
  - set (a0 := coef (nth i (nth 0 vs nil) nil) 0). set (a1 := coef (nth i (nth 1 vs nil) nil) 0).
    transitivity (average (fun j => Q2R a1 + (Q2R a0 - Q2R a1) * (if Nat.eqb j 0 then 1 else 0)) (seq 0 (S p))).
    + unfold average. f_equal. apply sumf_ext. intros j _. rewrite vals by assumption. fold vs.
      pose proof (A (node j) (node_in j)) as Aj. split_and.
      rewrite constant_coef by (try reflexivity; apply constants_nth; assumption). destruct j as [|j].
      * cbn [node Nat.eqb]. fold a0. ring.
      * match goal with H : (Nat.eqb (node (S j)) 0 || _)%bool = true |- _ => apply orb_true_iff in H as [H|H] end.
        -- match goal with H : Nat.eqb (node (S j)) 0 = true |- _ => apply Nat.eqb_eq in H; destruct (later j H) end.
        -- match goal with H : alike vs (node (S j)) 1 = true |- _ => apply alike_ok in H; rewrite H end. fold a1. cbn [Nat.eqb]. ring.
    + unfold average at 1. rewrite sumf_plus, sumf_scal. unfold averages. rewrite nth_map_seq by exact Hi. cbn [dot atom]. fold a0 a1.
      rewrite qr, Q2R_minus.
      pose proof (mean_first p) as MF. unfold average in MF. rewrite seq_length in *. assert (P : INR (S p) <> 0) by (apply not_0_INR; lia).
      replace (sumf (fun _ => Q2R a1) (seq 0 (S p))) with (Q2R a1 * INR (S p)) by (rewrite <- (sumf_one (S p) 0), <- sumf_scal;
        apply sumf_ext; intros; ring).
      unfold Rdiv. rewrite Rmult_plus_distr_r, !Rmult_assoc.
        fold (Rdiv (sumf (fun j => if Nat.eqb j 0 then 1 else 0) (seq 0 (S p))) (INR (S p))). rewrite MF.
      rewrite Rinv_r by exact P. ring. Qed.
Lemma resethead_ok hc d p i : resetheadok f c bs bs' hc d zs = true -> (i < m)%nat ->
  attend f (tokens word) y h d p i = dot (nth i (nth (held_at c hc (node p)) (added f bs bs' hc (map (values f d) zs)) nil) nil) (atom K
    1 bs' p).
Proof. intros H Hi. destruct hc as [block back sc sc2 history|slope top held| |]; unfold resetheadok in H; cbv zeta in H;
  cbn [held_at added].
  - split_and. match goal with H : headok _ _ _ _ _ _ _ = true |- _ => rename H into HO end.
    rewrite (head_ok f C word y n1 1 bs bs' node ts h Hm Hk (le_n 1) Hbs node_in Hlen Hnorm Hh _ d p i HO Hi). cbn [headout selected].
    set (by' := by_ bs block back) in *. set (vs := map (moveall by' bs bs') (map (values f d) zs)) in *.
    repeat match goal with H : Z.eqb _ _ = true |- _ => apply Z.eqb_eq in H end.
    assert (V : val 1 by' = length history) by (unfold val; lia). rewrite V.
    pose proof (history_ok vs history (seq 0 M) 0) as HI. rewrite Nat.add_0_l in HI.
      rewrite <- HI; [|intro q; rewrite Nat.sub_0_r, seq_nth by apply node_in; reflexivity|assumption].
    unfold vs. rewrite (nth_indep (map (moveall by' bs bs') (map (values f d) zs)) nil (moveall by' bs bs' nil))
      by (rewrite !map_length, Hlen; apply node_in).
    rewrite map_nth. rewrite zs_nth by apply node_in. reflexivity.
  - apply (last_ok slope top held); assumption.
  - cbn [nth]. apply mean_ok'; assumption.
  - rewrite (head_ok f C word y n1 1 bs bs' node ts h Hm Hk (le_n 1) Hbs node_in Hlen Hnorm Hh _ d p i H Hi). reflexivity. Qed.
End Layer.

(* one layer, all layers *)
Theorem resetlayer_ok t y k h : resetlayerok f c t y k = true -> describes t h -> describes (following k) (layer f (tokens word) h y).
Proof. intros H Hh p i Hi. unfold resetlayerok in H. cbv zeta in H. split_and.
  match goal with H : Nat.eqb _ _ = true |- _ => apply Nat.eqb_eq in H; rename H into HL end.
  match goal with H : all M (fun q => ((match heads y with nil => _ | _ => _ end)
    && _)%bool) = true |- _ => pose proof (fun q Q => all_ok _ _ q H Q) as N1; clear H; cbv beta in N1 end.
  match goal with H : all M (fun q => (normok _ _ _ _ _ _ && _)%bool) = true |- _ => pose proof (fun q Q => all_ok _ _ q H Q) as FF;
    clear H; cbv beta in FF end.
  match goal with H : forallb (fun hd => resetheadok _ _ _ _ _ _ _) _ = true |- _ => rename H into HO end.
  match goal with H : matin _ _ = true |- _ => rename H into MI end.
  set (ts := map (token f t) (seq 0 M)) in *. set (bs := shifts t) in *. set (bs' := shifts (following k)) in *.
    set (Z := map (znorm f C (dense f (amask y)) (before1 k)) ts) in *.
  assert (TS : forall q, (q < M)%nat -> nth q ts nil = token f t q) by (intros; apply nth_map_seq; assumption).
  assert (LT : length ts = M) by (unfold ts; rewrite map_length; apply seq_length).
  assert (HH : forall q j, (j < m)%nat -> h q j = dot (nth j (nth (node q) ts nil) nil) (atom K 1 bs q)) by (intros;
    rewrite TS by apply node_in; apply Hh; assumption).
  assert (N2 : heads y = nil \/ forall q, (q < M)%nat -> normok f C (dense f (amask y)) (before1 k) bs (nth q ts nil) = true).
  { clear HO FF. destruct (heads y); [left; reflexivity|right]. intros q Q. specialize (N1 q Q). apply andb_true_iff in N1. apply N1. }
  assert (MV : movable none bs bs' (nth (node p) ts nil) = true) by (specialize (N1 _ (node_in p)); apply andb_true_iff in N1; apply N1).
  pose proof (FF _ (node_in p)) as F1. apply andb_true_iff in F1 as [NF ST]. set (E := atom K 1 bs' p).
  match type of NF with normok _ _ _ _ _ ?t2 = true => set (two := t2) in * end.
  assert (AT : forall q, (q < m)%nat -> attention f (tokens word) y h p q = dot (nth q two nil) E).
  { intros q Hq. unfold two, after. rewrite nth_map_seq by exact Hq. rewrite dot_canon, dot_app. 
    assert (MO : dot (nth q (moveall none bs bs' (nth (node p) ts nil)) nil) E = h p q).
    { pose proof (moveall_ok C 1 bs bs' (le_n 1) ltac:(assumption) none (nth (node p) ts nil) q p eq_refl MV) as MO.
      change (coded C) with K in MO.
      rewrite val_zero, Nat.sub_0_r, <- HH in MO by exact Hq. exact MO. }
    rewrite MO. unfold attention.
    destruct N2 as [N2|N2]; [rewrite N2; rewrite combine_nil; cbn [map]; rewrite combine_nil; cbn [map flat_map dot fold_right]; ring|].
    clear FF NF ST two MV N1. revert HL HO. generalize (resetheads k).
      induction (heads y) as [|d ds IH]; intros [|hc hcs] HL HO; try discriminate; [cbn; ring|].
    cbn [combine forallb fst snd] in HO. apply andb_true_iff in HO as [A B]. cbn [fold_right combine map flat_map fst snd]. rewrite dot_app.
    rewrite (IH hcs) by (auto; cbn in HL; lia).
    rewrite (resethead_ok y (before1 k) bs bs' ts h ltac:(assumption) LT N2 HH hc d p q A Hq).
      rewrite <- Rplus_assoc, (Rplus_comm _ (h p q)), Rplus_assoc. reflexivity. }
  unfold layer, feedforward. rewrite AT by exact Hi. rewrite (plain_ok m (units y) (znorm f C (dense f (fmask y)) (before2 k) two)
    (norm f (masked (fmask y) (attention f (tokens word) y h p))) E MI).
  - apply (settled_ok m _ E); [reflexivity|exact Hi|exact ST].
  - intros q Hq. apply (norm_ok f C Hm Hk (fmask y) (before2 k) two 1 bs' p); assumption. Qed.
Theorem resetlayers_ok ys : forall ks t t' h, resetlayersok f c t ys ks = Some t' -> describes t h -> describes t' (block f (tokens word)
  ys h).
Proof. induction ys as [|y ys IH]; intros [|k ks] t t' h H Hh; try discriminate; cbn [resetlayersok] in H.
  - assert (t' = t) by congruence. subst. exact Hh.
  - destruct (resetlayerok f c t y k) eqn:L; [|discriminate]. unfold block. cbn [fold_left]. apply (IH ks (following k) t'); [exact H|].
    apply (resetlayer_ok t y k h L Hh). Qed.

(* the automaton and the maps at the node of every prefix *)
Lemma prefix_letters k : (k < length word)%nat -> firstn (S k) word = firstn k word ++ [nth k word 0%nat].
Proof. intro H. clear - H. revert k H. induction word as [|a w IHw]; intros [|k] H; simpl in *; try lia; [reflexivity|]. f_equal.
  rewrite <- IHw by lia. reflexivity. Qed.
Lemma state_at k : stateok f c X = true -> (k <= length word)%nat -> reached X (firstn k word) = ph C (node k).
Proof. intros A H. unfold stateok in A. apply andb_true_iff in A as [A0 A]. apply Nat.eqb_eq in A0. revert H.
  induction k as [|k IH]; intro H; [symmetry; exact A0|].
  unfold reached in *. rewrite prefix_letters, fold_left_app by exact H. cbn [fold_left]. rewrite IH by lia. cbn [node].
  pose proof (all_ok _ _ _ (all_ok _ _ _ A (node_in k)) (letter_in k)) as Q. cbv beta in Q. apply Nat.eqb_eq in Q. symmetry. exact Q. Qed.
Lemma map_at k : mapok f c rd = true -> (k <= length word)%nat -> product rd (firstn k word) = act C (node k).
Proof. intros A H. unfold mapok in A. apply andb_true_iff in A as [A0 A]. apply eqn_ok in A0. revert H.
  induction k as [|k IH]; intro H; [symmetry; exact A0|].
  unfold product in *. rewrite prefix_letters, fold_left_app by exact H. cbn [fold_left]. rewrite IH by lia. cbn [node].
  pose proof (all_ok _ _ _ (all_ok _ _ _ A (node_in k)) (letter_in k)) as Q. cbv beta in Q. apply eqn_ok in Q. symmetry. exact Q. Qed.
Theorem reset_stream t : firstok f c (first_stage c) = true -> repeated f = nil -> Model.final f = nil ->
  resetlayersok f c (first_stage c) (initial f) (resetlayers c) = Some t -> describes t (stream f word).
Proof. intros F RE L H. unfold stream, run. rewrite RE, L. assert (I : forall n (g : nat -> nat -> R), Nat.iter n (block f (tokens word)
  nil) g = g).
  { induction n as [|n IH]; intro g; [reflexivity|].
    change (Nat.iter (S n) (block f (tokens word) nil) g) with (block f (tokens word) nil (Nat.iter n (block f (tokens word) nil) g)).
      rewrite IH. reflexivity. }
  rewrite I. unfold block at 1. cbn [fold_left]. apply (resetlayers_ok (initial f) _ _ _ _ H), first_ok, F. Qed.
End Resets.

(* both parts of the theorem from one computation *)
Theorem resets_correct f c X r : resetcheck f c X r = true -> decides f X /\ tells f X r.
Proof. unfold resetcheck. intro H. split_and. destruct (repeated f) eqn:R; [|discriminate]. destruct (Model.final f) eqn:L; [|discriminate].
  destruct (resetlayersok _ _ _ _ _) as [t|] eqn:S; [|discriminate]. split_and.
  repeat match goal with H : Nat.ltb _ _ = true |- _ => apply Nat.ltb_lt in H end. split; intros word Hword.
  - assert (D : describes f c word t (stream f word)) by (apply (reset_stream f c X r word); assumption).
    pose proof (state_at f c X r word) as ST. specialize (ST ltac:(assumption) ltac:(assumption) ltac:(assumption) ltac:(assumption)
      Hword (length word) ltac:(assumption) (le_n _)).
    rewrite firstn_all in ST. unfold accepted. rewrite ST.
    apply (verdict_of f (plaincert c) X word t (node c word (length word)) 1); try assumption.
    + apply (node_in f c X r word); assumption.
    + intros i Hi. apply D, Hi.
  - intros p g Hp Hg. assert (D : describes f c word t (stream f word)) by (apply (reset_stream f c X r word); assumption).
    unfold expected. rewrite (state_at f c X r word) by assumption. rewrite (map_at f c X r word) by assumption.
    apply (prefix_of f (plaincert c) r word t (node c word p) 1); try assumption.
    + apply (node_in f c X r word); assumption.
    + intros i Hi. apply D, Hi. Qed.
