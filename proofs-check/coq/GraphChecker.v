(* Walks and squares of relations: squaring "equal or an edge" L times gives "a walk exists" if 2^L >= n - 1. *)
Require Import Reals Lia ZArith QArith Qreals List Bool Arith.
From Logdepth Require Import Rows Model Statement Atoms Checker.
Import ListNotations.
Open Scope nat_scope.

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

(* The checker of a file that reads a graph row by row; it takes no certificate. Tokens are concrete, and a coordinate is a form over flags
   (1 or -1) of a relation r with r i i: atom 0 is the number 1, atom 1 + n i + j is r i j, atom 1 + n n + n i + j is (r;r) i j. One layer
   has to replace r by r;r in every coordinate. What the function owes is in Connectivity.v. *)

Fixpoint allsome {A} (l : list (option A)) : option (list A) :=
  match l with
  | nil => Some nil
  | x :: l => match x, allsome l with Some x, Some l => Some (x :: l) | _, _ => None end
  end.

Section GraphChecker.
Variable f : graphfile.
Notation m := (width (gnet f)).
Notation n := (vertices f).

Definition flag_at i j := if Nat.eqb i j then 0 else S (n * i + j).
Definition next_at i j := if Nat.eqb i j then 0 else S (n * n + (n * i + j)).
Definition raised (r : row) : row := map (fun e => (match fst e with 0 => 0 | S x => S (n * n + x) end, snd e)) r.
Definition start_at i c : row := canon ((0, coef (vertex f) c) :: (0, coef (nth i (places f) nil) c) ::
  (if Nat.ltb c n then [(flag_at i c, 1%Q)] else nil) ++
  (if (mirrored f && Nat.leb (Nat.div2 m) c && Nat.ltb (c - Nat.div2 m) n)%bool then [(flag_at i (c - Nat.div2 m), (-1)%Q)] else nil)).
Definition starts : list mat := map (fun i => map (start_at i) (seq 0 m)) (seq 0 n).

(* a norm: of every coordinate one atom is left, whose square is 1 *)
Definition weighted (mask : row) (t : mat) : mat := map (fun p => canon (scl (fst p) (snd p))) (combine (map (coef mask) (seq 0 m)) t).
Definition centre (xs : mat) : mat :=
  if ln f then let total := scl (- (1 # Pos.of_nat m)) (canon (concat xs)) in map (fun r => canon (r ++ total)) xs else xs.
Fixpoint sum_squares (xs : mat) : option Q :=
  match xs with
  | nil => Some 0%Q
  | r :: xs => match r, sum_squares xs with
               | nil, Some q => Some q
               | [(_, v)], Some q => Some (Qred (v * v + q))
               | _, _ => None end
  end.
Definition root (q : Q) : Q := let q := Qred q in Qmake (Z.sqrt (Qnum q)) (Pos.sqrt (Qden q)).
Definition normed (mask : row) (t : mat) : option mat :=
  let xs := centre (weighted mask t) in
  if forallb isnil xs then Some xs else
  match sum_squares xs with
  | Some s => let k := root (inject_Z (Z.of_nat m) / s) in
      if (Qle_bool 0 k && Qeq_bool (k * k * s) (inject_Z (Z.of_nat m)))%bool then Some (map (scl k) xs) else None
  | None => None end.

(* heads; of two factors of a score one is a number *)
Definition times (a b : row) : option row :=
  if isconst a then Some (scl (coef a 0) b) else if isconst b then Some (scl (coef b 0) a) else None.
Fixpoint score_form (qs ks : mat) : option row :=
  match qs, ks with
  | q :: qs, k :: ks => match times q k, score_form qs ks with Some a, Some b => Some (a ++ b) | _, _ => None end
  | _, _ => Some nil
  end.
Definition fetches (d : headw) (z : mat) : mat :=
  let v := forms (hv d) z in map (fun c => canon (subst (nth c (ho d) nil) v)) (seq 0 m).
(* a vertex other than i and j tells the factors *)
Definition third i j := match List.find (fun k => negb (Nat.eqb k i || Nat.eqb k j)) (seq 0 n) with Some k => k | None => n end.
(* the score of token k is constant + c r i k + d r k j *)
Definition prefers i (scores : list row) j : bool :=
  let k := third i j in let s := nth k scores nil in
  let c := coef s (flag_at i k) in let d := coef s (flag_at k j) in let b := coef s 0 in
  if (negb (Qle_bool c d) && negb (Qle_bool d 0))%bool
  then all n (fun k => eqr (nth k scores nil) [(0, b); (flag_at i k, c); (flag_at k j, d)]) else false.
(* at token k, a r k j + b is read *)
Definition read_at (vs : list mat) i j c : option row :=
  let at_ k := nth c (nth k vs nil) nil in let k := third i j in let a := coef (at_ k) (flag_at k j) in let b := coef (at_ k) 0 in
  if all n (fun k => isnil (at_ k)) then Some nil
  else if all n (fun k => eqr (at_ k) [(0, b); (flag_at k j, a)]) then Some [(next_at i j, a); (0, b)] else None.
Definition head_at (vs : list mat) i (scores : option (list row)) : option mat :=
  match scores with
  | Some scores => match List.find (prefers i scores) (seq 0 n) with
                   | Some j => allsome (map (read_at vs i j) (seq 0 m))
                   | None => None end
  | None => None end.
(* what a head adds at every token *)
Definition head_adds (zs : list mat) (d : headw) : option (list mat) :=
  if (matin m (hq d) && matin m (hk d) && matin m (hv d))%bool then
    let vs := map (fetches d) zs in
    if forallb (forallb isnil) vs then Some nil
    else if causal d then None
    else let keys := map (forms (hk d)) zs in
      allsome (map (fun i => let q := forms (hq d) (nth i zs nil) in
        head_at vs i (allsome (map (fun k => score_form q (nth k keys nil)) (seq 0 n)))) (seq 0 n))
  else None.

Definition added_to (t : mat) (outs : list (list mat)) i : mat :=
  map (fun c => canon (nth c t nil ++ flat_map (fun o => nth c (nth i o nil) nil) outs)) (seq 0 m).
Definition squares_relation (ts : list mat) (y : layerw) : bool :=
  match allsome (map (normed (amask y)) ts) with
  | Some zs => match allsome (map (head_adds zs) (heads y)) with
      | Some outs => (matin m (map fst (units y)) && all n (fun i =>
          let t := nth i ts nil in let t2 := added_to t outs i in
          match normed (fmask y) t2 with
          | Some z2 => settled t2 (scatter m (plain (units y) z2)) (map raised t)
          | None => false end))%bool
      | None => false end
  | None => false end.
(* row j of the logits reads a positive multiple of r i j at token i *)
Definition reads_relation (ts : list mat) : bool :=
  all n (fun i => all n (fun j => let r := nth j (logits f) nil in (inb m r &&
    match canon (subst r (nth i ts nil)) with [(x, v)] => Nat.eqb x (flag_at i j) && negb (Qle_bool v 0) | _ => false end)))%bool.
Definition room := (Nat.leb n (length (places f)) && Nat.leb n m && (negb (mirrored f) || Nat.even m && Nat.leb n (Nat.div2 m)))%bool.
Definition rowscheck : bool :=
  let ts := starts in
  (Nat.ltb 0 n && room && Nat.leb (Nat.log2_up (n - 1)) (loops f n) && forallb (matin (S (n * n))) ts && reads_relation ts &&
   match initial f, repeated f, final f with nil, [y], nil => squares_relation ts y | _, _, _ => false end)%bool.
End GraphChecker.
