(* What the theorem of a file says. Together with Model.v this is what has to be believed: the automaton X and the maps of the letters are
   printed with the theorem, so that whoever reads it compares them with theirs. *)
Require Import Reals QArith Qreals List Bool Arith. From Logdepth Require Import Codes Rows Model. Import ListNotations.
Open Scope R_scope.

(* a deterministic automaton: states and letters are numbered from 0 *)
Record automaton := { delta : list (list nat) (* state, letter -> state *); start : nat; accepting : list bool }.
Definition step (X : automaton) q a := nth a (nth q (delta X) nil) 0%nat.
Definition reached (X : automaton) (w : list nat) := fold_left (step X) w (start X).
Definition accepted (X : automaton) (w : list nat) := nth (reached X w) (accepting X) false.
(* the verdict: every admissible word, of every length *)
Definition decides (f : file) (X : automaton) := forall w, admissible f w -> if accepted X w then accepts f w else rejects f w.

(* the prefix read-out: groups of rows, each row with what it stands for. A letter is a map of points, the first letter of a word acts
   first. With `element` there is one group, with a row for each map; otherwise group q has a row for each image of point q. *)
Record reading := { element : bool; groups : list (list (row * list nat)); maps : list (list nat); points : nat }.
Definition compose (x g : list nat) := map (fun t => nth t g 0%nat) x.
Definition product (r : reading) (w : list nat) := fold_left (fun x a => compose x (nth a (maps r) nil)) w (seq 0 (points r)).
Definition expected (r : reading) (g : nat) (x : list nat) := if element r then x else [nth g x 0%nat].
Definition norow : row * list nat := (nil, nil).
(* at token p the row of the group that stands for v has the largest logit, alone *)
Definition says (f : file) (word : list nat) (G : list (row * list nat)) (p : nat) (v : list nat) :=
  exists i, (i < length G)%nat /\ snd (nth i G norow) = v /\
  forall j, (j < length G)%nat -> j <> i -> dot (fst (nth j G norow)) (stream f word p) < dot (fst (nth i G norow)) (stream f word p).
Definition tells (f : file) (r : reading) := forall w, admissible f w -> forall p g, (p <= length w)%nat -> (g < length (groups r))%nat ->
  says f w (nth g (groups r) nil) p (expected r g (product r (firstn p w))).
