(* The theorem of cascades of resets (aperiodic languages in constant depth): if resetcheck f c X r computes to true, the file accepts
   exactly what the automaton X accepts, and the prefix read-out is that of every prefix, for every admissible word. *)
Require Import Reals Lra Lia Psatz ZArith QArith Qreals List Bool Arith ZifyNat.
From Logdepth Require Import Codes Rows Model Statement Settle FirstFlag Atoms Floors Checker Norms Attention Layers ReadOut
  ShiftScan ResetsChecker Classes.
Import ListNotations.
Open Scope R_scope.

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
  - intros p g Hp Hg. assert (D : describes f c (node c word) (count c word) t (stream f word)) by (apply (reset_stream f c X r word); assumption).
    unfold expected. rewrite (state_at f c X r word) by assumption. rewrite (map_at f c X r word) by assumption.
    apply (prefix_of f (plaincert c) r word t (node c word p) (ev (count c word))); try assumption.
    + apply (node_in f c X r word); assumption.
    + intros i Hi. apply D, Hi. Qed.
