(* The read-outs of a stream that a stage describes: verdict and prefix read-out of a token with a known label. *)
Require Import Reals Lra Lia ZArith QArith Qreals List Bool Arith.
From Logdepth Require Import Codes Rows Model Statement FirstFlag Atoms Checker Norms. Import ListNotations.
Open Scope R_scope.

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
