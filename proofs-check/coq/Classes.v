(* Tokens of finitely many classes: every token is of one node of a certificate, which fixes its forms. What heads select and average
   by node; one layer, all layers. How a token gets its node is proved below, for cascades and for counting programs. *)
Require Import Reals Lra Lia Psatz ZArith QArith Qreals List Bool Arith ZifyNat.
From Logdepth Require Import Rows Model Statement Atoms Checker Norms Attention Layers ShiftScan ClassesChecker.
Import ListNotations.
Open Scope R_scope.

(* equal scores select alike *)
Lemma argmax_ext s s' l : (forall j, s j = s' j) -> argmax s l = argmax s' l.
Proof. intro E. unfold argmax. apply filter_ext. intro j. induction l as [|a l IH]; [reflexivity|]. cbn [forallb]. rewrite IH, !E.
  reflexivity. Qed.
(* Lemma last_flag: a flag of at least one slope outweighs every position, among equal flags the last position wins *)
Lemma last_flag k (w : nat -> R) slope top p e : codingok k = true -> rising k = true -> 0 < slope -> (e <= p)%nat -> w e = top ->
  (forall j, (j <= p)%nat -> w j = top /\ (j <= e)%nat \/ w j + slope <= top) ->
  argmax (fun j => w j + slope * code k 0 j) (seq 0 (S p)) = [e].
Proof. intros OK H S E W F. apply argmax_single; [apply seq_NoDup|apply in_seq; lia|]. intros j J N. apply in_seq in J.
  destruct (F j ltac:(lia)) as [[A B]|A].
  - pose proof (rising_order k j e OK H ltac:(lia)). rewrite A, W. nra.
  - pose proof (rising_bound k j OK H). pose proof (rising_bound k e OK H). rewrite W. nra. Qed.

Section Classes.
Set Default Proof Using "All".
(* the counts of the tokens after <begin>, up to a token *)
Variables (f : file) (c : resetcert) (word : list nat) (node : nat -> nat) (count : nat -> nat -> nat).
Notation m := (width (net f)). Notation M := (nodes c). Notation C := (plaincert c). Notation K := (rcoded c).
  Notation letters := (length (emb f) - 1)%nat.
Hypothesis Hm : (0 < m)%nat.
Hypothesis Hk : codingok K = true.
Hypothesis node_in : forall p, (node p < M)%nat.
Hypothesis node_0 : node 0 = 0%nat.
Hypothesis later : forall p, node (S p) <> 0%nat.
Hypothesis edges_ok : forall P p, edges c P = true -> P (node p) (node (S p)) = true.
Hypothesis count_0 : forall i, count i 0 = 0%nat.
Hypothesis count_next : forall i p, current c i = true -> count i (S p) = (count i p + weight c i (node (S p)))%nat.
Definition ev : env := {| strides := 1; counts := count |}.
Lemma alike_ok os a b : alike os a b = true -> nth a os nil = nth b os nil.
Proof. unfold alike, same_mat. destruct (mat_dec _ _) as [E|]; [auto|discriminate]. Qed.

Definition describes (t : stage) (h : nat -> nat -> R) :=
  forall p i, (i < m)%nat -> h p i = dot (nth i (token f t (node p)) nil) (atom K ev (shifts t) p).
Lemma first_ok t : (forall p, kd c (node p) = kind word p) -> firstok f c t = true -> describes t (h0 f word).
Proof. intros node_kind H p i Hi. unfold firstok in H. apply andb_true_iff in H as [_ H].
  pose proof (all_ok _ _ i (all_ok _ _ _ H (node_in p)) Hi) as E. cbv beta in E.
  destruct (position_at f c (shifts t) (kd c (node p)) i) as [x|] eqn:PA; [|discriminate]. rewrite <- (eqr_ok _ _ _ E).
    rewrite node_kind in *. unfold h0. cbn [dot atom].
  rewrite Rmult_1_r. f_equal. unfold position_at in PA.
  assert (G : forall x, position0 f C (shifts t) i = Some x -> position f p i = dot x (atom K ev (shifts t) p)) by (intros;
    apply (position0_ok f C); assumption).
  destruct (pi f) as [e l|first rest] eqn:PI; [apply G; exact PA|]. unfold position. rewrite PI.
  replace (Nat.eqb (kind word p) 0) with (Nat.eqb p 0) in PA.
  - assert (x = [(0%nat, coef (if Nat.eqb p 0 then first else rest) i)]) by congruence. subst. cbn [dot atom]. ring.
  - destruct p; [reflexivity|]. unfold kind. cbn [nth]. rewrite (map_nth S word 0%nat). reflexivity. Qed.

Section Layer.
Variables (y : layerw) (n1 : normc) (bs bs' : list place) (ts : list mat) (h : nat -> nat -> R).
Hypothesis Hbs : goods bs = true.
Hypothesis Hlen : length ts = M.
Hypothesis Hnorm : forall q, (q < M)%nat -> normok f C (dense f (amask y)) n1 bs (nth q ts nil) = true.
Hypothesis Hh : forall p i, (i < m)%nat -> h p i = dot (nth i (nth (node p) ts nil) nil) (atom K ev bs p).
Notation zs := (map (znorm f C (dense f (amask y)) n1 bs) ts).
Notation z j := (norm f (masked (amask y) (h j))).
Lemma zs_nth {A} (g : mat -> A) q d : (q < M)%nat -> nth q (map g zs) d = g (nth q zs nil).
Proof. intro H. rewrite (nth_indep _ d (g nil)) by (rewrite !map_length, Hlen; exact H). apply map_nth. Qed.
Lemma vals d j i : matin m (hv d) = true -> (i < m)%nat ->
  dot (nth i (ho d) nil) (fun x => dot (nth x (hv d) nil) (z j)) = dot (nth i (nth (node j) (map (values f d) zs) nil) nil)
    (atom K ev bs j).
Proof. intros H Hi. rewrite zs_nth by apply node_in.
  exact (values_ok f C y n1 ev bs node ts h Hm Hk node_in Hlen Hnorm Hh d j i H Hi). Qed.

(* the token that a head of the last flag selects *)
Fixpoint last_of (flag : nat -> bool) (p : nat) : nat := match p with O => 0 | S p => if flag (node (S p)) then S p else last_of flag p end.
Lemma last_of_flag flag p : flag 0%nat = true -> flag (node (last_of flag p)) = true.
Proof. intro H. induction p as [|p IH]; [cbn [last_of]; rewrite node_0; exact H|]. cbn [last_of]. destruct (flag (node (S p))) eqn:E;
  assumption. Qed.
Lemma last_of_le flag p : (last_of flag p <= p)%nat.
Proof. induction p as [|p IH]; [reflexivity|]. cbn [last_of]. destruct (flag _); lia. Qed.
Lemma last_of_max flag p j : (j <= p)%nat -> flag (node j) = true -> (j <= last_of flag p)%nat.
Proof. induction p as [|p IH]; intros J F; [lia|]. cbn [last_of]. destruct (flag (node (S p))) eqn:E; [exact J|].
  destruct (Nat.eq_dec j (S p)) as [->|N]; [congruence|]. apply IH; [lia|exact F]. Qed.
Lemma held_ok flag held vs p : flag 0%nat = true -> alike vs 0 (nth 0 held 0%nat) = true ->
  edges c (fun q q' => if flag q' then alike vs q' (nth q' held 0%nat) else alike vs (nth q held 0%nat) (nth q' held 0%nat)) = true ->
  nth (node (last_of flag p)) vs nil = nth (nth (node p) held 0%nat) vs nil.
Proof. intros F A E. induction p as [|p IH]; [cbn [last_of]; rewrite node_0; apply alike_ok, A|]. pose proof (edges_ok _ p E) as Q. cbv
  beta in Q. cbn [last_of].
  destruct (flag (node (S p))); apply alike_ok in Q; [exact Q|rewrite IH; exact Q]. Qed.
Lemma history_ok vs history : forall before k, (forall p, nth (node (p - k)) vs nil = nth (nth (node p) before 0%nat) vs nil) ->
  historyok c vs before history = true ->
  forall p, nth (node (p - (k + length history))) vs nil = nth (nth (node p) (last history before) 0%nat) vs nil.
Proof. induction history as [|now history IH]; intros before k B H p; [cbn [length last]; rewrite Nat.add_0_r; apply B|].
  cbn [historyok] in H. split_and. replace (k + length (now :: history))%nat with (S k + length history)%nat by (cbn [length]; lia).
  replace (last (now :: history) before) with (last history now) by (destruct history as [|a l]; [reflexivity|]; cbn [last]; clear;
    revert a; induction l; intro a'; [reflexivity|apply IHl]).
  apply IH; [|assumption]. clear p. intros [|p].
  - cbn [Nat.sub]. rewrite node_0. apply alike_ok. assumption.
  - replace (S p - S k)%nat with (p - k)%nat by lia. rewrite B.
    match goal with H : edges _ _ = true |- _ => pose proof (edges_ok _ p H) as Q end.
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
  attend f (tokens word) y h d p i = dot (nth i (nth (nth (node p) held 0%nat) (map (values f d) zs) nil) nil) (atom K ev bs' p).
Proof. intros H Hi. unfold lastok in H. cbv zeta in H. split_and. unfold attend. cbv zeta.
  match goal with H : causal d = true |- _ => rewrite H end. unfold visible.
  set (kf := map (fun z => keyform (nth 0 (map (forms (hq d)) zs) nil) (forms (hk d) z)) zs) in *.
  set (flag := fun q => Qeq_bool (coef (nth q kf nil) 0) top) in *.
  match goal with H : all M _ = true |- _ => pose proof (fun q Q => all_ok _ _ q H Q) as A; clear H; cbv beta in A end.
  match goal with H : same_place _ _ = true |- _ => apply same_place_ok in H; rename H into S0 end.
  match goal with H : forallb constant (nth 0 _ nil) = true |- _ => rename H into CQ end.
  match goal with H : negb _ = true |- _ => apply pos_q in H; rename H into SP end.
  assert (AT : forall t, atom K ev bs t 3 = code K 0 t).
  { intro t. exact (own_code K ev bs S0 0 t ltac:(lia)). }
  assert (SC : forall j, score (hq d) (hk d) (z p) (z j) = Q2R (coef (nth (node j) kf nil) 0) + Q2R slope * code K 0 j).
  { intro j. rewrite (score_forms m (hq d) (hk d) (z p) (z j) (atom K ev bs p) (atom K ev bs j) (nth (node p) zs nil) (nth
    (node j) zs nil)); try assumption;
      try (intros; apply (z_ok f C y n1 ev bs node ts h Hm Hk node_in Hlen Hnorm Hh); assumption).
    pose proof (A (node p) (node_in p)) as Ap. pose proof (A (node j) (node_in j)) as Aj. split_and.
    match goal with H : same_mat (nth (node p) (map (forms (hq d)) zs) nil) _ = true |- _ => unfold same_mat in H;
      destruct (mat_dec (nth (node p) (map (forms (hq d)) zs) nil) (nth 0 (map (forms (hq d)) zs) nil)) as [E|]; [|discriminate] end.
    rewrite zs_nth in E by apply node_in. rewrite E, (keyform_ok _ _ (atom K ev bs p)) by (try exact CQ; reflexivity).
    match goal with H : eqr (nth (node j) kf nil) _ = true |- _ => rename H into EJ end.
    assert (KJ : nth (node j) kf nil = keyform (nth 0 (map (forms (hq d)) zs) nil) (forms (hk d) (nth (node j) zs nil))) by (unfold kf;
      rewrite zs_nth by apply node_in; reflexivity).
    rewrite <- KJ, (eqr_ok _ _ (atom K ev bs j) EJ). cbn [dot]. rewrite AT. cbn [atom]. ring. }
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
    rewrite (constant_dot _ (atom K ev bs' p) (atom K ev bs e)) by (try reflexivity; apply constants_nth, CV).
    rewrite <- vals by assumption. apply dot_ext_all. intro x. field.
  - apply last_of_le.
  - intros j J. destruct (flag (node j)) eqn:FJ.
    + left. split; [apply eq_q, FJ|apply last_of_max; assumption].
    + right. pose proof (A (node j) (node_in j)) as Aj. apply andb_true_iff in Aj as [_ Aj].
      match type of Aj with (if ?b then _ else _) = true => change b with (flag (node j)) in Aj end. rewrite FJ in Aj.
      apply Qle_bool_iff, Qle_Rle in Aj. rewrite Q2R_plus in Aj. exact Aj. Qed.
Lemma sumf_app g l l' : sumf g (l ++ l') = sumf g l + sumf g l'.
Proof. induction l as [|a l IH]; [change (sumf g l' = 0 + sumf g l'); ring|]. change (g a + sumf g (l ++ l')
  = g a + sumf g l + sumf g l'). rewrite IH. ring. Qed.
(* the average of what tokens count is the atom *)
Lemma counted_ok b i p k : counted c b i = Some k -> average (fun j => Q2R (term c b (node j) i)) (seq 0 (S p)) = atom K ev b p i.
Proof. intro H. pose proof (mean_first p) as MF. unfold average in *. rewrite seq_length in *. set (n := INR (S p)) in *.
  assert (N : n <> 0) by (apply not_0_INR; lia). assert (Q1 : Q2R 1 = 1) by (unfold Q2R; simpl; lra). unfold term. rewrite H.
  destruct i as [|[|[|i]]]; cbn [counted] in H; try discriminate.
  - assert (k = None) by congruence. subst. cbn [Nat.eqb orb atom]. rewrite Q1. unfold n. rewrite sumf_one. field. exact N.
  - assert (k = None) by congruence. subst. cbn [Nat.eqb orb atom]. rewrite <- MF. f_equal. apply sumf_ext. intros j _.
    destruct j as [|j]; cbn [Nat.eqb]; [rewrite node_0; exact Q1|]. destruct (Nat.eqb_spec (node (S j)) 0) as [E|]; [destruct (later j
      E)|apply z0].
  - destruct (nth (i / 4) b own) as [| |a| |] eqn:B; try discriminate. destruct (Nat.eqb_spec (i mod 4) 0) as [M0|]; [|discriminate].
    cbn [andb] in H. destruct (current c a) eqn:CU; [|discriminate]. assert (k = Some a) by congruence. subst. cbn [atom]. rewrite M0, B.
    cbn [component counts ev].
    replace (INR p + 1) with n by (unfold n; apply S_INR). unfold Rdiv. f_equal. clear MF N n H. induction p as [|p IH].
    + cbn [seq sumf fold_right]. rewrite node_0, count_0. cbn [Nat.eqb]. rewrite z0. cbn. ring.
    + rewrite seq_S, sumf_app, IH, (count_next a p CU). cbn [Nat.add sumf fold_right]. destruct (Nat.eqb_spec (node (S p)) 0) as [E|];
        [destruct (later p E)|]. rewrite INR_Q, plus_INR. ring. Qed.
Lemma sum_of_ok r g : Q2R (sum_of r g) = dot r (fun i => Q2R (g i)).
Proof. induction r as [|[i v] r IH]; [cbn; apply z0|]. cbn [sum_of fold_right fst snd dot]. rewrite qr, Q2R_plus, Q2R_mult.
  fold (sum_of r g). rewrite IH. reflexivity. Qed.
Lemma mean_ok' out d p i : meanok f c bs' out d zs (map (values f d) zs) = true -> (i < m)%nat ->
  attend f (tokens word) y h d p i = dot (nth i out nil) (atom K ev bs' p).
Proof. intros H Hi. unfold meanok in H. split_and. unfold attend. cbv zeta. match goal with H : causal d = true |- _ => rewrite H end.
  unfold visible.
  set (vs := map (values f d) zs) in *. match goal with H : all M _ = true |- _ => pose proof (fun q Q => all_ok _ _ q H Q) as A;
    clear H; cbv beta in A end.
  rewrite (argmax_uniform _ 0).
  2:{ intros j _. rewrite (score_forms m (hq d) (hk d) (z p) (z j) (atom K ev bs p) (atom K ev bs j) (nth (node p) zs nil) (nth
    (node j) zs nil)); try assumption;
      try (intros; apply (z_ok f C y n1 ev bs node ts h Hm Hk node_in Hlen Hnorm Hh); assumption).
      pose proof (A (node p) (node_in p)) as Ap. split_and. apply nil_scores. assumption. }
  transitivity (average (fun j => dot (nth i (ho d) nil) (fun x => dot (nth x (hv d) nil) (z j))) (seq 0 (S p))).
  - apply (average_dot (nth i (ho d) nil) (fun x j => dot (nth x (hv d) nil) (z j))).
  - transitivity (average (fun j => dot (nth i out nil) (fun a => Q2R (term c bs' (node j) a))) (seq 0 (S p))).
    + unfold average. f_equal. apply sumf_ext. intros j _. rewrite vals by assumption. fold vs.
      pose proof (A (node j) (node_in j)) as Aj. split_and.
      match goal with H : all m _ = true |- _ => pose proof (all_ok _ _ i H Hi) as E end. cbv beta in E. apply eq_q in E.
      rewrite sum_of_ok in E. rewrite constant_coef by (try reflexivity; apply constants_nth; assumption). exact E.
    + rewrite <- (average_dot (nth i out nil) (fun a j => Q2R (term c bs' (node j) a))).
      assert (F : forallb (fun e => match counted c bs' (fst e) with Some _ => true | None => false end) (nth i out nil) = true).
      { destruct (nth_in_or_default i out nil) as [I|E]; [|rewrite E; reflexivity].
        match goal with H : forallb (forallb _) out = true |- _ => rewrite forallb_forall in H; apply H, I end. }
      induction (nth i out nil) as [|[a v] r IH]; [reflexivity|]. cbn [forallb fst] in F. apply andb_true_iff in F as [F G].
      destruct (counted c bs' a) as [k|] eqn:CA; [|discriminate]. cbn [dot]. rewrite (counted_ok bs' a p k CA), (IH G). reflexivity. Qed.
(* Lemma count: the residue of a node is that of the count *)
Definition amount v p := match v with Count i => count i p | _ => p end.
Definition countable v := match v with Count i => current c i | _ => true end.
Lemma amount_next v p : countable v = true -> amount v (S p) = (amount v p + weight_of c v (node (S p)))%nat.
Proof. intro H. destruct v; cbn [amount weight_of]; try lia. apply count_next, H. Qed.
Lemma residue_ok v m' residues p : countable v = true -> (0 < m')%nat -> nth 0 residues 0%nat = 0%nat ->
  edges c (fun q q' => Nat.eqb (nth q' residues 0%nat) ((nth q residues 0%nat + weight_of c v q') mod (2 * m'))) = true ->
  nth (node p) residues 0%nat = (amount v p mod (2 * m'))%nat.
Proof. intros V P Z E. induction p as [|p IH]; [replace (amount v 0) with 0%nat by (destruct v; cbn [amount]; rewrite ?count_0;
  reflexivity);
    rewrite node_0, Z, Nat.mod_0_l by lia; reflexivity|].
  pose proof (edges_ok _ p E) as Q. cbv beta in Q. apply Nat.eqb_eq in Q. rewrite Q, IH, amount_next by exact V.
  rewrite Nat.add_mod_idemp_l by lia. reflexivity. Qed.
Lemma count_most v m' p : countable v = true -> all M (fun q => Nat.leb (weight_of c v q) m') = true -> (amount v p <= m' * p)%nat.
Proof. intros V H. induction p as [|p IH]; [destruct v; cbn [amount]; rewrite ?count_0; lia|]. rewrite amount_next by exact V. pose
  proof (all_ok _ _ _ H (node_in (S p))) as W.
  apply Nat.leb_le in W. lia.
  Qed.
(* which of the positions is even: floor of (count + offset) / m' *)
Lemma odd_floor n m' o : (0 < m')%nat -> (((n mod (2 * m') + o) / m') mod 2 = ((n + o) / m') mod 2)%nat.
Proof. intro P. rewrite (Nat.div_mod n (2 * m')) at 2 by lia. set (k := (n / (2 * m'))%nat). set (r := (n mod (2 * m'))%nat).
  replace (2 * m' * k + r + o)%nat with (r + o + 2 * k * m')%nat by lia. rewrite Nat.div_add by lia.
  rewrite Nat.mul_comm, Nat.mod_add by lia. reflexivity. Qed.
Lemma by_parity_ok v i p q : forallb (even_odd bs) v = true ->
  dot (nth i v nil) (atom K ev bs p) = dot (nth i (by_parity (Nat.odd p) v) nil) (atom K ev bs' q).
Proof. intro H. unfold by_parity. set (g := map (fun e : nat * Q => (0%nat, if (Nat.odd p && negb (Nat.eqb (fst e) 0))%bool then (- snd e)%Q
    else snd e))). transitivity (dot (g (nth i v nil)) (atom K ev bs' q)); [|f_equal; symmetry; exact (map_nth g v nil i)].
  assert (F : even_odd bs (nth i v nil) = true).
  { destruct (nth_in_or_default i v nil) as [I|E]; [|rewrite E; reflexivity]. rewrite forallb_forall in H. apply H, I. }
  revert F. generalize (nth i v nil). induction r as [|[a w] r IH]; intro F; [reflexivity|]. cbn [even_odd forallb fst] in F.
  apply andb_true_iff in F as [F G]. unfold g in *. cbn [map dot fst snd]. rewrite (IH G). f_equal. cbn [atom]. rewrite Rmult_1_r.
  destruct (Nat.eqb_spec a 0) as [->|N].
  - rewrite andb_false_r. cbn [atom]. ring.
  - cbn [orb] in F. destruct (find Parity bs 0) as [j|] eqn:P; [|discriminate]. apply Nat.eqb_eq in F. subst a.
    apply find_ok in P as [B _]. rewrite Nat.sub_0_r in B. pose proof (atom_at K ev bs p j 0 ltac:(lia)) as A.
    rewrite Nat.add_0_r, B in A. cbn [component] in A. rewrite A, <- Nat.negb_odd. destruct (Nat.odd p); cbn [negb andb];
      [rewrite Q2R_opp|];
      ring. Qed.
(* a token that is selected alone *)
Lemma one_token d p t i : causal d = true -> matin m (hv d) = true -> (t <= p)%nat -> (i < m)%nat ->
  (forall j, j <> t -> score (hq d) (hk d) (z p) (z j) < score (hq d) (hk d) (z p) (z t)) ->
  attend f (tokens word) y h d p i = dot (nth i (nth (node t) (map (values f d) zs) nil) nil) (atom K ev bs t).
Proof. intros C V T Hi S. unfold attend. cbv zeta. rewrite C. unfold visible.
  rewrite (argmax_single _ _ t); [|apply seq_NoDup|apply in_seq; lia|intros j _; apply S].
  unfold average. cbn [sumf fold_right length INR].
  transitivity (dot (nth i (ho d) nil) (fun a => dot (nth a (hv d) nil) (z t))); [apply dot_ext_all; intro a; field|].
    apply vals; assumption. Qed.
(* scores by the forms of queries and keys, the same keys at all nodes *)
Lemma key_scores d k0 p j : matin m (hq d) = true -> matin m (hk d) = true -> same_mat (forms (hk d) (nth (node j) zs nil)) k0 = true ->
  forallb keyrow k0 = true -> nth 0 bs own = own -> let q := nth (node p) (map (forms (hq d)) zs) nil in let e := atom K ev bs p in
  eqr (against q k0 5) nil = true -> eqr (against q k0 6) nil = true ->
  score (hq d) (hk d) (z p) (z j) = dot (canon (against q k0 3)) e * code K 0 j + dot (canon (against q k0 4)) e * code K 1 j.
Proof. intros HQ HK SM KR S0 q e E5 E6. rewrite (score_forms m (hq d) (hk d) (z p) (z j) (atom K ev bs p) (atom K ev bs j) (nth (node p)
  zs nil)
    (nth (node j) zs nil)); try assumption;
    try (intros; apply (z_ok f C y n1 ev bs node ts h Hm Hk node_in Hlen Hnorm Hh); assumption).
  unfold same_mat in SM. destruct (mat_dec (forms (hk d) (nth (node j) zs nil)) k0) as [E|]; [|discriminate].
  rewrite E, <- (zs_nth (forms (hq d)) (node p) nil) by apply node_in. fold q. rewrite against_ok by assumption. fold e.
  rewrite (eqr_ok _ _ e E5), (eqr_ok _ _ e E6), !dot_canon.
  pose proof (own_code K ev bs S0) as O. pose proof (O 0%nat j ltac:(lia)) as O0. pose proof (O 1%nat j ltac:(lia)) as O1.
  cbn [Nat.add] in O0, O1. rewrite O0, O1. cbn [dot]. ring. Qed.
Lemma nearest_ok block v m' o residues d p i : nearestok f c bs block v m' o residues d zs (map (values f d) zs) = true -> (i < m)%nat ->
  attend f (tokens word) y h d p i = dot (nth i (nth (((nth (node p) residues 0%nat + o) / m') mod 2) [by_parity false (nth 0 (map
    (values f d) zs) nil); by_parity true (nth 0 (map (values f d) zs) nil)] nil) nil) (atom K ev bs' p).
Proof. intros H Hi. unfold nearestok in H. cbv zeta in H. destruct (nth block bs own) as [|ns| | |] eqn:B; try discriminate.
  destruct (match v with Count i => current c i | Position => true | _ => false end) eqn:V; [|discriminate]. split_and.
  assert (AM : number_at v ev p = INR (amount v p)) by (destruct v; try discriminate; reflexivity).
  assert (CV : countable v = true) by (destruct v; try discriminate; [reflexivity|exact V]). set (xc := first_of v ns) in *.
    set (xo := first_of Once ns) in *.
  match goal with H : all M (fun q => Nat.leb (weight_of c v q) m') = true |- _ => pose proof (count_most v m' p CV H) as CM; clear H end.
  match goal with H : edges _ _ = true |- _ => rename H into RE end.
  match goal with H : Nat.eqb (nth 0 residues 0%nat) 0 = true |- _ => apply Nat.eqb_eq in H; rename H into R0 end.
  match goal with H : all M _ = true |- _ => pose proof (fun q Q => all_ok _ _ q H Q) as A; clear H; cbv beta in A end.
  match goal with H : same_place _ _ = true |- _ => apply same_place_ok in H; rename H into S0 end.
  match goal with H : placed _ = true |- _ => pose proof (sqrt_lt_R0 _ (squared_pos ns ev p H)) as SP end.
  repeat match goal with H : Nat.ltb _ _ = true |- _ => apply Nat.ltb_lt in H | H : Nat.leb _ _ = true |- _ => apply Nat.leb_le in H end.
  set (n := sqrt (squared ns ev p)) in *. set (C0 := amount v p) in *. set (t := ((C0 + o) / m')%nat).
  pose proof (A _ (node_in p)) as Ap. split_and.
  set (q := nth (node p) (map (forms (hq d)) zs) nil) in *. set (k0 := forms (hk d) (nth 0 zs nil)) in *.
  set (x1 := coef (canon (against q k0 3)) (3 + 4 * block + xc)) in *. set (x0 := coef (canon (against q k0 3)) (3 + 4 * block + xo)) in *.
  set (e := coef (canon (against q k0 4)) (3 + 4 * block + xo)) in *.
  match goal with H : floors _ _ _ _ _ _ = true |- _ => rename H into FL end. pose proof (floors_below _ _ _ _ _ _ FL) as OM.
  assert (TP : (t <= p)%nat) by (apply Nat.lt_succ_r, Nat.div_lt_upper_bound; [lia|]; lia).
  assert (SC : forall j, score (hq d) (hk d) (z p) (z j) = / n * ((Q2R x1 * INR C0 + Q2R x0) * code K 0 j + Q2R e * code K 1 j)).
  { intro j. pose proof (A _ (node_in j)) as Aj. split_and. rewrite (key_scores d k0 p j) by assumption. fold q.
    repeat match goal with H : eqr (canon _) _ = true |- _ => rewrite (eqr_ok _ _ (atom K ev bs p) H); clear H end. cbn [dot].
    pose proof (atom_at K ev bs p block xc ltac:(lia)) as AC. pose proof (atom_at K ev bs p block xo ltac:(lia)) as AO.
    rewrite B in AC, AO. cbn [component] in AC, AO. unfold toward in AC, AO. fold n in AC, AO. unfold xc in AC at 2. unfold xo in AO at 2.
    rewrite first_of_in in AC, AO by assumption. cbn [number_at] in AO. rewrite AM in AC. rewrite AC, AO. field. lra. }
  rewrite (one_token d p t i) by (first [assumption | intros j N; rewrite !SC; apply Rmult_lt_compat_l; [apply Rinv_0_lt_compat, SP|];
    apply (floors_ok K m' o x1 x0 e C0 j Hk FL N)]).
  pose proof (A _ (node_in t)) as At. split_and.
  match goal with H : alike _ (node t) 0 = true |- _ => apply alike_ok in H; rewrite H end.
  rewrite (by_parity_ok _ i t p) by assumption. rewrite (residue_ok v m' residues p CV ltac:(lia) R0 RE), odd_floor by lia. fold C0 t.
  rewrite <- Nat.bit0_odd, Nat.bit0_eqb. pose proof (Nat.mod_upper_bound t 2 ltac:(lia)) as U.
  destruct (t mod 2)%nat as [|[|]]; [reflexivity|reflexivity|lia]. Qed.
Lemma fraction_ok m' o d p i : fractionok f c bs bs' m' o d zs (map (values f d) zs) = true -> (i < m)%nat ->
  attend f (tokens word) y h d p i = dot (nth i (nth 0 (added bs bs' (Fraction m' o) (map (values f d) zs)) nil) nil) (atom K ev bs' p).
Proof. intros H Hi. unfold fractionok in H. cbv zeta in H. cbn [added]. destruct K as [|L] eqn:KE; [discriminate|].
  destruct (find _ bs' 0) as [b|] eqn:F; [|discriminate]. apply find_ok in F as [N _]. rewrite Nat.sub_0_r in N. rewrite <- KE in *.
    split_and.
  match goal with H : all M _ = true |- _ => pose proof (fun q Q => all_ok _ _ q H Q) as A; clear H; cbv beta in A end.
  match goal with H : same_place _ _ = true |- _ => apply same_place_ok in H; rename H into S0 end.
  pose proof (A _ (node_in p)) as Ap. split_and.
  set (q := nth (node p) (map (forms (hq d)) zs) nil) in *. set (k0 := forms (hk d) (nth 0 zs nil)) in *.
  set (x1 := coef (canon (against q k0 3)) 3) in *. set (x0 := coef (canon (against q k0 3)) 4) in *.
  set (e := coef (canon (against q k0 4)) 4) in *.
  match goal with H : floors _ _ _ _ _ _ = true |- _ => rename H into FL end. pose proof (floors_below _ _ _ _ _ _ FL) as OM.
  set (t := ((p + o) / m')%nat). pose proof Hk as LP. rewrite KE in LP. apply pos_q in LP. pose proof (rad_pos (Q2R L) p LP) as R.
  assert (TP : (t <= p)%nat) by (apply Nat.lt_succ_r, Nat.div_lt_upper_bound; [lia|]; nia).
  assert (SC : forall j, score (hq d) (hk d) (z p) (z j) =
    / rad (Q2R L) p * ((Q2R x1 * INR p + Q2R (x0 * L)) * code K 0 j + Q2R (e * L) * code K 1 j)).
  { intro j. pose proof (A _ (node_in j)) as Aj. split_and. rewrite (key_scores d k0 p j) by assumption. fold q.
    repeat match goal with H : eqr (canon _) _ = true |- _ => rewrite (eqr_ok _ _ (atom K ev bs p) H); clear H end. cbn [dot].
    pose proof (own_code K ev bs S0) as O. pose proof (O 0%nat p ltac:(lia)) as O0. pose proof (O 1%nat p ltac:(lia)) as O1.
    cbn [Nat.add] in O0, O1. rewrite O0, O1, !Q2R_mult, KE. cbn [code]. unfold ph0 at 1, ph1 at 1 2. field. lra. }
  rewrite (one_token d p t i) by (first [assumption | intros j NJ; rewrite !SC; apply Rmult_lt_compat_l; [apply Rinv_0_lt_compat, R|];
    apply (floors_ok K m' o x1 (x0 * L) (e * L) p j Hk FL NJ)]).
  pose proof (A _ (node_in t)) as At. split_and.
  match goal with H : alike _ (node t) 0 = true |- _ => apply alike_ok in H; rewrite H end. set (v := nth 0 (map (values f d) zs) nil) in *.
  cbn [nth]. set (g := map (fun x : nat * Q => (match fst x with 0%nat => 0%nat | i => (i + 4 * b)%nat end, snd x))).
  transitivity (dot (g (nth i v nil)) (atom K ev bs' p)); [|f_equal; symmetry; exact (map_nth g v nil i)].
  assert (FV : forallb (fun x => Nat.eqb (fst x) 0 || Nat.leb 3 (fst x) && Nat.ltb (fst x) 7)%bool (nth i v nil) = true).
  { destruct (nth_in_or_default i v nil) as [I|E]; [|rewrite E; reflexivity].
    match goal with H : forallb (forallb _) v = true |- _ => rewrite forallb_forall in H; apply H, I end. }
  revert FV. generalize (nth i v nil). induction r as [|[a w] r IH]; intro FV; [reflexivity|]. cbn [forallb fst] in FV.
  apply andb_true_iff in FV as [FA FV]. unfold g in *. cbn [map dot fst snd]. rewrite (IH FV). f_equal. f_equal.
  apply orb_true_iff in FA as [FA|FA]; [apply Nat.eqb_eq in FA; subst a; reflexivity|]. apply andb_true_iff in FA as [L3 L7].
  apply Nat.leb_le in L3. apply Nat.ltb_lt in L7. destruct a as [|a]; [lia|]. set (k := (S a - 3)%nat).
  replace (S a) with (3 + k)%nat at 1 by lia. rewrite (own_code K ev bs S0) by lia.
  replace (S a + 4 * b)%nat with (3 + 4 * b + k)%nat by lia. rewrite atom_at, N by lia. reflexivity. Qed.
Lemma resethead_ok hc d p i : resetheadok f c bs bs' hc d zs = true -> (i < m)%nat ->
  attend f (tokens word) y h d p i = dot (nth i (nth (held_at c hc (node p)) (added bs bs' hc (map (values f d) zs)) nil) nil) (atom K
    ev bs' p).
Proof. intros H Hi. destruct hc as [block back sc sc2 history|slope top held|out|block v m' o residues|m' o|]; unfold resetheadok in H;
  cbv zeta in H;
  cbn [held_at added].
  - split_and. match goal with H : headok _ _ _ _ _ _ _ = true |- _ => rename H into HO end.
    rewrite (head_ok f C word y n1 ev bs bs' node ts h Hm Hk (le_n 1) Hbs node_in Hlen Hnorm Hh _ d p i HO Hi). unfold selected.
      cbn [headout reach].
    set (by' := by_ bs block back) in *. set (vs := map (moveall by' bs bs') (map (values f d) zs)) in *.
    repeat match goal with H : Z.eqb _ _ = true |- _ => apply Z.eqb_eq in H end.
    assert (V : val ev by' = length history) by (change (val 1 by' = length history); unfold val; lia). rewrite V.
    pose proof (history_ok vs history (seq 0 M) 0) as HI. rewrite Nat.add_0_l in HI.
      rewrite <- HI; [|intro q; rewrite Nat.sub_0_r, seq_nth by apply node_in; reflexivity|assumption].
    unfold vs. rewrite (nth_indep (map (moveall by' bs bs') (map (values f d) zs)) nil (moveall by' bs bs' nil))
      by (rewrite !map_length, Hlen; apply node_in).
    rewrite map_nth. rewrite zs_nth by apply node_in. reflexivity.
  - apply (last_ok slope top held); assumption.
  - cbn [nth]. apply mean_ok'; assumption.
  - apply (nearest_ok block v); assumption.
  - apply (fraction_ok m' o); assumption.
  - rewrite (head_ok f C word y n1 ev bs bs' node ts h Hm Hk (le_n 1) Hbs node_in Hlen Hnorm Hh _ d p i H Hi). reflexivity. Qed.
End Layer.

Lemma coef_neg r i : Q2R (coef (neg r) i) = - Q2R (coef r i).
Proof. induction r as [|[a w] r IH]; [cbn; rewrite z0; ring|]. unfold neg in *. cbn [map fst snd]. rewrite !coef_cons, IH.
  destruct (Nat.eqb a i); [rewrite qr, Q2R_opp|]; ring. Qed.
Lemma even_odd_dot b r p j : find Parity b 0 = Some j -> even_odd b r = true -> dot r (atom K ev b p) = Q2R (coef r 0) +
  (if Nat.even p then 1 else -1) * Q2R (coef r (3 + 4 * j)).
Proof. intros F H. unfold even_odd in H. rewrite F in H. apply find_ok in F as [N _]. rewrite Nat.sub_0_r in N.
  pose proof (atom_at K ev b p j 0 ltac:(lia)) as A. rewrite Nat.add_0_r, N in A. cbn [component] in A.
  assert (Z : Nat.eqb 0 (3 + 4 * j) = false) by (apply Nat.eqb_neq; lia). assert (Z' : Nat.eqb (3 + 4 * j) 0 = false)
    by (apply Nat.eqb_neq; lia).
  induction r as [|[a w] r IH]; [cbn; rewrite z0; ring|]. cbn [forallb fst] in H. apply andb_true_iff in H as [E H].
  rewrite !coef_cons. cbn [dot]. rewrite (IH H). apply orb_true_iff in E as [E|E]; apply Nat.eqb_eq in E; subst a.
  - rewrite Nat.eqb_refl, Z. cbn [atom]. ring.
  - rewrite Nat.eqb_refl, Z', A. ring. Qed.
Lemma unbent_ok b us p i : unitsum (flat_map (unbent b) us) (atom K ev b p) i = unitsum us (atom K ev b p) i.
Proof. induction us as [|u us IH]; [reflexivity|]. cbn [flat_map unitsum]. unfold unbent at 1.
  destruct (find Parity b 0) as [j|] eqn:F; [|cbn [app unitsum]; rewrite IH; reflexivity]. cbv zeta.
  destruct (_ && _)%bool eqn:C; [|cbn [app unitsum]; rewrite IH; reflexivity]. apply andb_true_iff in C as [C _].
  cbn [app unitsum fst snd]. rewrite IH, coef_neg, dot_neg, (even_odd_dot b (fst u) p j F C).
  pose proof F as G. apply find_ok in G as [N _]. rewrite Nat.sub_0_r in N. pose proof (atom_at K ev b p j 0 ltac:(lia)) as A.
  rewrite Nat.add_0_r, N in A. cbn [component] in A. cbn [dot]. rewrite A, !Q2R_mult, Q2R_plus, Q2R_minus, !q0max_R, Q2R_plus, Q2R_minus.
  replace (Q2R (1 # 2)) with (1 / 2) by (unfold Q2R; simpl; lra). cbn [atom]. unfold relu.
  set (x := Q2R (coef (fst u) 0)). set (z := Q2R (coef (fst u) (3 + 4 * j))).
  destruct (Nat.even p); unfold Rmax; repeat destruct (Rle_dec _ _); lra. Qed.

(* the stream after attention; one layer, all layers *)
Theorem attention_ok t y k bs' h : let ts := tokens_of f c t in let zs := normed f c t y k ts in attentionok f c bs' t y k ts zs = true ->
  describes t h -> forall p i, (i < m)%nat ->
  attention f (tokens word) y h p i = dot (nth i (attended f c bs' t k ts (outputs f bs' t y k zs) (node p)) nil) (atom K ev bs' p).
Proof. intros ts Z H Hh p i Hi. unfold attentionok in H. cbv zeta in H. split_and.
  match goal with H : Nat.eqb _ _ = true |- _ => apply Nat.eqb_eq in H; rename H into HL end.
  match goal with H : all M _ = true |- _ => pose proof (fun q Q => all_ok _ _ q H Q) as N1; clear H; cbv beta in N1 end.
  match goal with H : forallb (fun hd => resetheadok _ _ _ _ _ _ _) _ = true |- _ => rename H into HO end.
  unfold attended, outputs. set (E := atom K ev bs' p). set (bs := shifts t) in *.
  assert (TS : forall q, (q < M)%nat -> nth q ts nil = token f t q) by (intros; apply nth_map_seq; assumption).
  assert (LT : length ts = M) by (unfold ts, tokens_of; rewrite map_length; apply seq_length).
  assert (HH : forall q j, (j < m)%nat -> h q j = dot (nth j (nth (node q) ts nil) nil) (atom K ev bs q)) by (intros;
    rewrite TS by apply node_in; apply Hh; assumption).
  assert (N2 : heads y = nil \/ forall q, (q < M)%nat -> normok f C (dense f (amask y)) (before1 k) bs (nth q ts nil) = true).
  { clear HO. destruct (heads y); [left; reflexivity|right]. intros q Q. specialize (N1 q Q). apply andb_true_iff in N1. apply N1. }
  assert (MV : movable none bs bs' (nth (node p) ts nil) = true) by (specialize (N1 _ (node_in p)); apply andb_true_iff in N1; apply N1).
  unfold after. rewrite nth_map_seq by exact Hi. rewrite dot_canon, dot_app.
  assert (MO : dot (nth i (moveall none bs bs' (nth (node p) ts nil)) nil) E = h p i).
  { pose proof (moveall_ok C ev bs bs' (le_n 1) ltac:(assumption) none (nth (node p) ts nil) i p eq_refl MV) as MO.
    change (coded C) with K in MO. rewrite val_zero, Nat.sub_0_r, <- HH in MO by exact Hi. exact MO. }
  rewrite MO. unfold attention.
  destruct N2 as [N2|N2]; [rewrite N2; rewrite combine_nil; cbn [map]; rewrite combine_nil; cbn [map flat_map dot fold_right]; ring|].
  clear MV N1. revert HL HO. generalize (resetheads k).
    induction (heads y) as [|d ds IH]; intros [|hc hcs] HL HO; try discriminate; [cbn; ring|].
  cbn [combine forallb fst snd] in HO. apply andb_true_iff in HO as [A B]. cbn [fold_right combine map flat_map fst snd]. rewrite dot_app.
  rewrite <- Rplus_assoc, (Rplus_comm (h p i)), Rplus_assoc, <- (IH hcs) by (auto; cbn in HL; lia).
  rewrite (resethead_ok y (before1 k) bs bs' ts h ltac:(assumption) LT N2 HH hc d p i A Hi). reflexivity. Qed.
Theorem resetlayer_ok t y k h : resetlayerok f c t y k = true -> describes t h -> describes (following k) (layer f (tokens word) h y).
Proof. intros H Hh p i Hi. unfold resetlayerok in H. cbv zeta in H. split_and.
  match goal with H : all M _ = true |- _ => pose proof (all_ok _ _ _ H (node_in p)) as F1; cbv beta in F1 end.
  apply andb_true_iff in F1 as [NF ST]. set (bs' := shifts (following k)) in *. set (E := atom K ev bs' p).
  match type of NF with normok _ _ _ _ _ ?t2 = true => set (two := t2) in * end.
  assert (AT : forall q, (q < m)%nat -> attention f (tokens word) y h p q = dot (nth q two nil) E) by (intros; apply (attention_ok t);
    assumption).
  unfold layer, feedforward. rewrite AT by exact Hi. rewrite (plain_ok m (units y) (znorm f C (dense f (fmask y)) (before2 k) bs' two)
    (norm f (masked (fmask y) (attention f (tokens word) y h p))) E ltac:(assumption)).
  - rewrite <- (unbent_ok bs' _ p i). apply (settled_ok m _ E); [reflexivity|exact Hi|exact ST].
  - intros q Hq. apply (norm_ok f C Hm Hk (fmask y) (before2 k) two ev bs' p); assumption. Qed.
Theorem resetlayers_ok ys : forall ks t t' h, resetlayersok f c t ys ks = Some t' -> describes t h -> describes t' (block f (tokens word)
  ys h).
Proof. induction ys as [|y ys IH]; intros [|k ks] t t' h H Hh; try discriminate; cbn [resetlayersok] in H.
  - assert (t' = t) by congruence. subst. exact Hh.
  - destruct (resetlayerok f c t y k) eqn:L; [|discriminate]. unfold block. cbn [fold_left]. apply (IH ks (following k) t'); [exact H|].
    apply (resetlayer_ok t y k h L Hh). Qed.
End Classes.
(* a file without repeated layers *)
Lemma straight_stream (f : file) word : repeated f = nil -> stream f word = block f (tokens word) (initial f ++ Model.final f) (h0 f word).
Proof. intro RE. unfold stream, run. rewrite RE. unfold block at 1 3 4. rewrite fold_left_app. f_equal.
  induction (loops f (length word)) as [|n IH]; [reflexivity|]. cbn [Nat.iter nat_rect]. exact IH. Qed.

(* The theorem of cascades of resets (aperiodic languages in constant depth): if resetcheck f c X r computes to true, the file accepts
   exactly what the automaton X accepts, and the prefix read-out is that of every prefix, for every admissible word. *)

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
Lemma edges_ok P p : edges c P = true -> P (node p) (node (S p)) = true.
Proof. intro H. unfold edges in H. cbn [node]. pose proof (all_ok _ _ _ H (node_in p)) as A. cbv beta in A. rewrite forallb_forall in A.
  apply A. pose proof (proj2 (proj2 (proj2 machine) _ _ (node_in p) (letter_in p))) as N. unfold nx in *.
  destruct (nth_in_or_default (nth p word 0%nat) (nth (node p) (edge c) nil) 0%nat) as [I|E]; [exact I|].
  rewrite E, (proj1 (proj2 machine)) in N. discriminate. Qed.
Lemma later p : node (S p) <> 0%nat.
Proof. intro E. pose proof (node_kind (S p)) as N. rewrite E in N. rewrite (proj1 (proj2 machine)) in N. unfold kind in N. cbn [nth] in N.
  rewrite (map_nth S word 0%nat) in N. discriminate. Qed.
(* the counts of the tokens after <begin>, up to a token *)
Fixpoint count i (p : nat) : nat := match p with O => 0 | S p => count i p + weight c i (node (S p)) end.
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
Theorem reset_stream t : firstok f c (first_stage c) = true -> repeated f = nil ->
  resetlayersok f c (first_stage c) (initial f ++ Model.final f) (resetlayers c) = Some t -> describes f c node count t (stream f word).
Proof. intros F RE H. rewrite straight_stream by assumption. assert (N0 : node 0 = 0%nat) by reflexivity.
  apply (resetlayers_ok f c word node count Hm Hk node_in N0 later edges_ok (fun i => eq_refl) (fun i p _ => eq_refl)
    (initial f ++ Model.final f) _ _ _ _ H).
  apply (first_ok f c word node count Hm Hk node_in N0 later edges_ok (fun i => eq_refl) (fun i p _ => eq_refl)), F. exact node_kind. Qed.
End Resets.

(* both parts of the theorem from one computation *)
Theorem resets_correct f c X r : resetcheck f c X r = true -> decides f X /\ tells f X r.
Proof. unfold resetcheck. intro H. split_and. destruct (repeated f) eqn:R; [|discriminate].
  destruct (resetlayersok _ _ _ _ _) as [t|] eqn:S; [|discriminate]. split_and.
  repeat match goal with H : Nat.ltb _ _ = true |- _ => apply Nat.ltb_lt in H end. split; intros word Hword.
  - assert (D : describes f c (node c word) (count c word) t (stream f word)) by (apply (reset_stream f c X r word); assumption).
    pose proof (state_at f c X r word) as ST. specialize (ST ltac:(assumption) ltac:(assumption) ltac:(assumption) ltac:(assumption)
      Hword (length word) ltac:(assumption) (le_n _)).
    rewrite firstn_all in ST. unfold accepted. rewrite ST.
    apply (verdict_of f (plaincert c) X word t (node c word (length word)) (ev (count c word))); try assumption.
    + apply (node_in f c X r word); assumption.
    + intros i Hi. apply D, Hi.
  - intros p g Hp Hg. assert (D : describes f c (node c word) (count c word) t (stream f word)) by (apply (reset_stream f c X r word);
    assumption).
    unfold expected. rewrite (state_at f c X r word) by assumption. rewrite (map_at f c X r word) by assumption.
    apply (prefix_of f (plaincert c) r word t (node c word p) (ev (count c word))); try assumption.
    + apply (node_in f c X r word); assumption.
    + intros i Hi. apply D, Hi. Qed.

(* The theorem of counting programs (C-RASP): if countcheck f G c computes to true, the file accepts exactly what the program G accepts, for
   every admissible word. *)

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
Definition tally_of (i p : nat) : nat := tally (tallied i) history p.
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
Lemma verdict_cls : program_accepts G word = nth (cls (length (comparisons G)) (length word)) (verdicts G) false.
Proof. unfold program_accepts, cls, history. f_equal. apply last_nth.
  exact (compared_length (comparisons G) (fun p => [kind word p]) 0 (fun _ => eq_refl) (length word)). Qed.
Lemma count_0 i : tally_of i 0 = 0%nat.
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
  tally_of i (S p) = (tally_of i p + weight (at_stage G d t) i (cls d (S p)))%nat.
Proof. unfold current, weight, tally_of. cbn [counters at_stage tally].
  set (g := fun x : nat * list nat => if Nat.eqb (fst x) d then snd x else nil).
  pose proof (map_nth g (tallies G) (0%nat, nil) i) as N. replace (g (0%nat, nil)) with (@nil nat) in N by (unfold g; cbn [fst snd];
    destruct (Nat.eqb 0 d); reflexivity). rewrite N. unfold g. destruct (Nat.eqb_spec (fst (tallied i)) d) as [E|]; [|discriminate].
      intros _. rewrite E. reflexivity. Qed.
Notation Ev := (ev tally_of).
Definition known (d : nat) (t : stage) (h : nat -> nat -> R) :=
  forall p i, (i < m)%nat -> h p i = dot (nth i (token f t (cls d p)) nil) (atom K Ev (shifts t) p).

(* the sum at a token *)
Lemma count_all i p : Nat.eqb (fst (tallied i)) 0 = true -> all (length (emb f) - 1) (fun a => Nat.eqb (nth (S a) (snd (tallied i))
  0%nat) 1)
  = true -> tally_of i p = p.
Proof. intros F A. apply Nat.eqb_eq in F. unfold tally_of. induction p as [|p IH]; [reflexivity|]. cbn [tally]. rewrite IH, F.
  fold (cls 0 (S p)). rewrite cls_0. pose proof (kind_in (S p)) as KI. destruct (kind word (S p)) as [|a] eqn:E.
  - destruct (proj2 (proj2 inside_0) p). rewrite cls_0. exact E.
  - pose proof (all_ok _ _ a A ltac:(lia)) as W. cbv beta in W. apply Nat.eqb_eq in W. rewrite W. lia. Qed.
Lemma inject z : Q2R (inject_Z z) = IZR z.
Proof. unfold Q2R, inject_Z. cbn [Qnum Qden]. field. Qed.
Lemma summand_ok bs s x p : summand_row f G bs s = Some x -> dot x (atom K Ev bs p) = IZR (snd s) * INR (tally_of (fst s) p) / (INR p + 1).
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
  rewrite plus_IZR, mult_IZR, <- INR_IZR_INZ. unfold tally_of in *. lra. Qed.
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
  set (c := at_stage G d t) in *. set (bs' := shifts (following l)) in *. set (ts := tokens_of f c t) in *.
  set (two := fun p => attended f c bs' t l ts (outputs f bs' t y l (normed f c t y l ts)) (cls d p)).
  assert (T : forall p, (cls (S d) p < classes_of (following l))%nat /\ Bool.eqb (Nat.eqb (cls (S d) p) 0) (Nat.eqb (cls d p) 0) = true /\
    settled (two p) (scatter m (plain (units y) (signed f (dense f (fmask y)) (two p) (sum_row f G bs' k) s (sign (sum G k history p)))))
      (token f (following l) (cls (S d) p)) = true).
  { intro p. specialize (A p). apply andb_true_iff in A as [_ A]. pose proof (possible_ok k p d I2 I3) as PO.
    apply existsb_exists in PO as (sg & IN & E). apply Nat.eqb_eq in E. subst sg. rewrite forallb_forall in A. specialize (A _ IN).
    rewrite <- ST in A. split_and. split; [apply Nat.ltb_lt; assumption|split; assumption]. }
  split; [split; [|split]|].
  - intro p. apply T.
  - destruct (T 0%nat) as (_ & E & _). rewrite I2 in E. apply eqb_prop, Nat.eqb_eq in E. exact E.
  - intros p E. destruct (T (S p)) as (_ & Z & _). rewrite E in Z. apply eqb_prop in Z. symmetry in Z. apply Nat.eqb_eq in Z. exact (I3
    p Z).
  - intros p i Hi. unfold layer, feedforward. set (E := atom K Ev bs' p).
    assert (AT : forall q, (q < m)%nat -> attention f (tokens word) y h p q = dot (nth q (two p) nil) E).
    { intros q Hq. apply (attention_ok f c word (cls d) tally_of Hm eq_refl I1 I2 I3 (complete d t I) count_0 (count_next d t) t);
      assumption. }
    rewrite AT by exact Hi. destruct (T p) as (_ & _ & SE).
    rewrite (plain_ok m (units y) (signed f (dense f (fmask y)) (two p) (sum_row f G bs' k) s (sign (sum G k history p)))
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
    exact (resetlayer_ok f (at_stage G d t) word (cls d) tally_of Hm eq_refl I1 I2 I3 (complete d t (conj I1 (conj I2 I3))) count_0
      (count_next d t) t y l h C Hh). Qed.
End Counting.

Theorem counting_correct f G c : countcheck f G c = true -> decides_counting f G.
Proof. unfold countcheck. intros H word W. split_and. destruct (repeated f) eqn:R; [|discriminate]. destruct (countlayersok _ _ _ _ _
  _) as [t|] eqn:S; [|discriminate].
  repeat match goal with H : Nat.ltb _ _ = true |- _ => apply Nat.ltb_lt in H | H : Nat.eqb _ _ = true |- _ => apply Nat.eqb_eq in H end.
  match goal with A : (0 < width _)%nat, B : (1 < length _)%nat |- _ => rename A into Hm; rename B into Hemb end.
  pose proof (inside_0 f G word Hm Hemb W) as I.
  match goal with H : classes_of _ = _ |- _ => rewrite <- H in I end. pose proof I as (I1 & I2 & I3).
  assert (F : known f G word 0 (first_forms c) (h0 f word)).
  { refine (first_ok f (at_stage G 0 (first_forms c)) word (cls G word 0) (tally_of G word) Hm eq_refl I1 I2 I3
      (complete f G word Hm Hemb W 0 (first_forms c) I) (count_0 f G word Hm Hemb W)
      (count_next f G word Hm Hemb W 0 (first_forms c)) (first_forms c) _ _); [|assumption].
    intro p. unfold kd. cbn [kinds at_stage]. rewrite seq_nth by apply I1. apply (cls_0 f); assumption. }
  destruct (countlayers_ok f G word Hm Hemb W _ _ _ _ _ _ I S F) as [J D].
  rewrite <- straight_stream in D by assumption. rewrite (verdict_cls f) by assumption. destruct J as [J _]. specialize (J (length word)).
  set (q := cls G word (length (comparisons G)) (length word)) in *.
  pose proof (verdict_of f (plaincert (at_stage G (length (comparisons G)) t)) {| delta := nil; start := 0; accepting := verdicts G |}
    word t q
    (ev (tally_of G word))) as V. unfold ph in V. cbn [phi plaincert to_state at_stage Checker.size nodes accepting coded rcoded] in V.
  rewrite seq_nth in V by exact J. apply V; try assumption. intros i Hi. apply D, Hi. Qed.
