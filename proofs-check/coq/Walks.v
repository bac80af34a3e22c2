(* Walks and squares of relations: squaring "equal or an edge" L times gives "a walk exists" if 2^L >= n - 1. *)
Require Import Lia List Bool Arith. From Logdepth Require Import Codes Rows Model Statement. Import ListNotations.

(* from i to j over some vertex *)
Definition compose_rel (n : nat) (r : nat -> nat -> bool) (i j : nat) : bool := existsb (fun k => (r i k && r k j)%bool) (seq 0 n).
Definition reflexive (n : nat) (r : nat -> nat -> bool) := forall i, i < n -> r i i = true.
Definition square_rel n l r := Nat.iter l (compose_rel n) r.
Lemma compose_rel_ok n r i j : compose_rel n r i j = true <-> exists k, k < n /\ r i k = true /\ r k j = true.
Proof. unfold compose_rel. rewrite existsb_exists. split.
  - intros (k & I & H). apply in_seq in I. apply andb_true_iff in H. exists k. split; [lia|exact H].
  - intros (k & L & H). exists k. split; [apply in_seq; lia|apply andb_true_iff, H]. Qed.
Lemma compose_reflexive n r : reflexive n r -> reflexive n (compose_rel n r).
Proof. intros H i L. apply compose_rel_ok. exists i. auto. Qed.

Section Walks.
Variables (n : nat) (edge : nat -> nat -> bool).
(* l lists the vertices after i *)
Fixpoint path i l j := match l with nil => i = j | k :: l => k < n /\ edge i k = true /\ path k l j end.
Definition within s i j := exists l, path i l j /\ length l <= s.
Lemma walk_path i j : walk n edge i j <-> exists l, path i l j.
Proof. split.
  - induction 1 as [i|i k j K E W [l P]]; [exists []; reflexivity|exists (k :: l); simpl; auto].
  - intros [l P]. revert i P. induction l as [|k l IH]; simpl; intros i P; [subst; apply Here|].
    destruct P as (K & E & P). apply (Onward n edge i k j K E), IH, P. Qed.
Lemma path_app l1 : forall i l2 j, path i (l1 ++ l2) j <-> exists k, path i l1 k /\ path k l2 j.
Proof. induction l1 as [|a l1 IH]; simpl; intros i l2 j; [split; [eauto|intros (k & -> & P); exact P]|]. rewrite IH. firstorder. Qed.
Lemma path_end l : forall i k, i < n -> path i l k -> k < n.
Proof. induction l as [|a l IH]; simpl; intros i k H P; [lia|]. destruct P as (A & _ & P). apply (IH a k A P). Qed.
Lemma within_double s i j : i < n -> (within (2 * s) i j <-> exists k, k < n /\ within s i k /\ within s k j).
Proof. intro H. split.
  - intros (l & P & L). rewrite <- (firstn_skipn s l) in P. apply path_app in P as (k & P1 & P2). exists k.
    split; [apply (path_end _ i k H P1)|]. split; [exists (firstn s l)|exists (skipn s l)]; (split; [assumption|]).
    + apply firstn_le_length.
    + rewrite skipn_length. lia.
  - intros (k & _ & (l1 & P1 & L1) & (l2 & P2 & L2)). exists (l1 ++ l2). split; [apply path_app; eauto|]. rewrite app_length. lia. Qed.
Lemma path_from i : forall l k j, path k l j -> In i l -> exists l1 l2, l = l1 ++ i :: l2 /\ path i l2 j.
Proof. induction l as [|a l IH]; simpl; [tauto|]. intros k j (_ & _ & P) [->|I]; [exists [], l; auto|].
  destruct (IH a j P I) as (l1 & l2 & -> & Q). exists (a :: l1), l2. auto. Qed.
Lemma NoDup_after (l1 l2 : list nat) : NoDup (l1 ++ l2) -> NoDup l2.
Proof. induction l1 as [|a l1 IH]; simpl; auto. intro H. inversion H. auto. Qed.
(* without what lies between two visits of one vertex *)
Lemma shorten : forall l i j, path i l j -> exists l', path i l' j /\ NoDup (i :: l').
Proof. induction l as [|k l IH]; simpl; intros i j P; [exists []; split; [exact P|constructor; [simpl; tauto|constructor]]|].
  destruct P as (K & E & P). destruct (IH k j P) as (l' & P' & N). destruct (in_dec Nat.eq_dec i (k :: l')) as [I|I].
  - destruct I as [->|I]; [exists l'; auto|]. destruct (path_from i l' k j P' I) as (l1 & l2 & Q & W). exists l2. split; [exact W|].
    apply (NoDup_after (k :: l1)). simpl. rewrite <- Q. exact N.
  - exists (k :: l'). split; [simpl; auto|constructor; auto]. Qed.
Lemma path_in l : forall i j, path i l j -> forall x, In x l -> x < n.
Proof. induction l as [|a l IH]; simpl; [tauto|]. intros i j (A & _ & P) x [->|I]; [exact A|apply (IH a j P x I)]. Qed.
Lemma walk_short i j : i < n -> walk n edge i j -> within (n - 1) i j.
Proof. intros H W. apply walk_path in W as [l P]. destruct (shorten l i j P) as (l' & P' & N). exists l'. split; [exact P'|].
  assert (I : incl (i :: l') (seq 0 n)) by (intros x [->|X]; apply in_seq; [lia|pose proof (path_in l' i j P' x X); lia]).
  pose proof (NoDup_incl_length N I) as L. rewrite seq_length in L. simpl in L. lia. Qed.
Variable r : nat -> nat -> bool.
Hypothesis Hr : forall i j, r i j = (Nat.eqb i j || edge i j)%bool.
Theorem squares l : forall i j, i < n -> j < n -> (square_rel n l r i j = true <-> within (2 ^ l) i j).
Proof. induction l as [|l IH]; intros i j Hi Hj.
  - change (square_rel n 0 r i j) with (r i j). rewrite Hr. split.
    + intro H. apply orb_true_iff in H as [H|H]; [apply Nat.eqb_eq in H; exists []; simpl; auto|exists [j]; simpl; auto].
    + intros ([|k [|k' l]] & P & L); simpl in P, L; try lia.
      * subst. rewrite Nat.eqb_refl. reflexivity.
      * destruct P as (_ & E & ->). rewrite E. apply orb_true_r.
  - change (square_rel n (S l) r i j) with (compose_rel n (square_rel n l r) i j). change (2 ^ S l) with (2 * 2 ^ l).
    rewrite within_double by exact Hi. rewrite compose_rel_ok.
    split; intros (k & K & A & B); exists k; (split; [exact K|]); split; apply IH; assumption. Qed.
Theorem squares_walk l i j : n - 1 <= 2 ^ l -> i < n -> j < n -> (square_rel n l r i j = true <-> walk n edge i j).
Proof. intros L Hi Hj. rewrite squares by assumption. split.
  - intros (p & P & _). apply walk_path. eauto.
  - intro W. destruct (walk_short i j Hi W) as (p & P & B). exists p. split; [exact P|lia]. Qed.
End Walks.
