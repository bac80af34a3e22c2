(* The second half of a feed-forward sublayer in forms: hidden units whose forms are known, the coordinates before and after. Every
   coordinate gets its units by position, so that the check of a large monoid reads each number once. *)
Require Import Reals Lra Lia QArith Qreals List Bool Arith. From Logdepth Require Import Codes Rows Model. Import ListNotations.
Open Scope R_scope.

Fixpoint put {A} (i : nat) (y : A) (b : list (list A)) : list (list A) :=
  match b, i with
  | nil, _ => nil
  | l :: b, 0%nat => (y :: l) :: b
  | l :: b, S i => l :: put i y b
  end.
Definition blank {A} (n : nat) : list (list A) := repeat nil n.
Fixpoint column (r : row) (t : row) (b : list (list (Q * row))) :=
  match r with nil => b | (i, v) :: r => put i (v, t) (column r t b) end.
Definition positive (t : row) := negb (isconst t && Qle_bool (coef t 0) 0)%bool.
(* the units of each coordinate; a unit that is the constant relu 0 is left out *)
Fixpoint scatter (m : nat) (us : list (row * row)) : list (list (Q * row)) :=
  match us with nil => blank m | u :: us => if positive (fst u) then column (snd u) (fst u) (scatter m us) else scatter m us end.
Fixpoint settled (before : mat) (us : list (list (Q * row))) (next : mat) : bool :=
  match before, us, next with
  | nil, nil, nil => true
  | b :: before, u :: us, n :: next => let ra := relus u in (zeros (snd ra) && eqr (b ++ fst ra) n && settled before us next)%bool
  | _, _, _ => false
  end.

Lemma put_length {A} i (y : A) b : length (put i y b) = length b.
Proof. revert i. induction b as [|l b IH]; intros [|i]; cbn [put length]; auto. Qed.
Lemma put_nth {A} j (y : A) : forall i b, (i < length b)%nat ->
  nth i (put j y b) nil = if Nat.eqb j i then y :: nth i b nil else nth i b nil.
Proof. induction j as [|j IH]; intros i [|l b] H; try (cbn in H; lia); destruct i as [|i]; cbn [put nth Nat.eqb]; auto. apply IH.
  cbn in H. lia. Qed.
Lemma column_length r t b : length (column r t b) = length b.
Proof. induction r as [|[i v] r IH]; cbn [column]; [reflexivity|]. rewrite put_length. exact IH. Qed.
Lemma column_nth r t b i x : (i < length b)%nat ->
  relsum (nth i (column r t b) nil) x = Q2R (coef r i) * relu (dot t x) + relsum (nth i b nil) x.
Proof. intro H. induction r as [|[j v] r IH]; cbn [column]; [cbn [coef fold_right]; rewrite z0; ring|].
  rewrite put_nth by (rewrite column_length; exact H). rewrite coef_cons. destruct (Nat.eqb j i); cbn [relsum]; rewrite IH; ring. Qed.
Lemma scatter_length m us : length (scatter m us) = m.
Proof. induction us as [|u us IH]; cbn [scatter]; [apply repeat_length|].
  destruct (positive (fst u)); [rewrite column_length|]; exact IH. Qed.
Lemma blank_nth {A} m i : nth i (@blank A m) nil = nil.
Proof. unfold blank. revert i. induction m as [|m IH]; intros [|i]; cbn [repeat nth]; auto. Qed.
Lemma positive_ok t x : x 0%nat = 1 -> positive t = false -> relu (dot t x) = 0.
Proof. intros X H. unfold positive in H. apply negb_false_iff, andb_true_iff in H as [C L]. rewrite (isconst_dot t x X C). unfold relu.
  apply Qle_bool_iff, Qle_Rle in L. rewrite z0 in L. apply Rmax_right. exact L. Qed.
Lemma scatter_nth m us i x : x 0%nat = 1 -> (i < m)%nat -> relsum (nth i (scatter m us) nil) x = unitsum us x i.
Proof. intros X H. induction us as [|u us IH]; cbn [scatter unitsum]; [rewrite blank_nth; reflexivity|]. destruct (positive (fst u)) eqn:P.
  - rewrite column_nth by (rewrite scatter_length; exact H). rewrite IH. reflexivity.
  - rewrite (positive_ok _ _ X P), IH. ring. Qed.
(* if the lists agree, the stream after is the stream before plus what the units add *)
Theorem settled_ok m us x before next i : x 0%nat = 1 -> (i < m)%nat -> settled before (scatter m us) next = true ->
  dot (nth i before nil) x + unitsum us x i = dot (nth i next nil) x.
Proof. intros X H S. rewrite <- (scatter_nth m us i x X H). assert (L : (i < length (scatter m us))%nat) by (rewrite scatter_length;
  exact H).
  clear H. revert before next i S L. induction (scatter m us) as [|u l IH]; intros [|b before] [|n next] i S L; try discriminate;
    [cbn in L; lia|].
  cbn [settled] in S. apply andb_true_iff in S as [S T]. apply andb_true_iff in S as [Z E]. destruct i as [|i]; cbn [nth].
  - rewrite (relus_ok u x X), (absum_zero _ x Z), Rplus_0_r, <- dot_app. apply eqr_ok, E.
  - apply IH; [exact T|]. cbn in L. lia. Qed.
