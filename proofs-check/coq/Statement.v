(* What the theorem of a file says. Together with Model.v this is what has to be believed: the automaton X and the maps of the letters are
   printed with the theorem, so that whoever reads it compares them with theirs. *)
Require Import Reals ZArith QArith Qreals List Bool Arith. From Logdepth Require Import Rows Model. Import ListNotations.
Open Scope R_scope.

(* a deterministic automaton: states and letters are numbered from 0 *)
Record automaton := { delta : list (list nat) (* state, letter -> state *); start : nat; accepting : list bool }.
Definition step (X : automaton) q a := nth a (nth q (delta X) nil) 0%nat.
Definition reached (X : automaton) (w : list nat) := fold_left (step X) w (start X).
Definition accepted (X : automaton) (w : list nat) := nth (reached X w) (accepting X) false.
(* the verdict: every admissible word, of every length *)
Definition decides (f : file) (X : automaton) := forall w, admissible f w -> if accepted X w then accepts f w else rejects f w.

(* the prefix read-out: groups of rows, each row with what it stands for. A letter is a map of points, the first letter of a word acts
   first. Element: one group, with a row for each map. Images: group q has a row for each image of point q. States: one group, with a
   row for each state of X, and no points. *)
Inductive target := Element | Images | States.
Record reading := { reads : target; groups : list (list (row * list nat)); maps : list (list nat); points : nat }.
Definition compose (x g : list nat) := map (fun t => nth t g 0%nat) x.
Definition product (r : reading) (w : list nat) := fold_left (fun x a => compose x (nth a (maps r) nil)) w (seq 0 (points r)).
Definition meant (r : reading) (g : nat) (x : list nat) (q : nat) := match reads r with Element => x | Images => [nth g x 0%nat]
  | States => [q] end.
Definition expected (X : automaton) (r : reading) (g : nat) (w : list nat) := meant r g (product r w) (reached X w).
Definition norow : row * list nat := (nil, nil).
(* at token p the row of the group that stands for v has the largest logit, alone *)
Definition says (f : file) (word : list nat) (G : list (row * list nat)) (p : nat) (v : list nat) :=
  exists i, (i < length G)%nat /\ snd (nth i G norow) = v /\
  forall j, (j < length G)%nat -> j <> i -> dot (fst (nth j G norow)) (stream f word p) < dot (fst (nth i G norow)) (stream f word p).
Definition tells (f : file) (X : automaton) (r : reading) := forall w, admissible f w ->
  forall p g, (p <= length w)%nat -> (g < length (groups r))%nat -> says f w (nth g (groups r) nil) p (expected X r g (firstn p w)).

(* counting programs (C-RASP): a token has a class, at first its kind (0: <begin>, 1 + a: letter a), and every comparison gives it a
   new one,
   by the sign of an integer sum of counts. A count is that of the tokens after <begin>, up to the own one; each counts as much as its class
   says that it had after so many comparisons. *)
Record comparison := { summands : list (nat * Z) (* count, factor *); rest : Z; turns : list (list nat) (* class, sign -> class *) }.
Record counting := { tallies : list (nat * list nat) (* how many comparisons before, class -> how much *);
  comparisons : list comparison; verdicts : list bool (* of the last class *) }.
Fixpoint tally (t : nat * list nat) (classes : nat -> list nat) (p : nat) : nat := match p with O => 0
  | S q => tally t classes q + nth (nth (fst t) (classes p) 0) (snd t) 0 end%nat.
Definition sum (G : counting) (k : comparison) (classes : nat -> list nat) (p : nat) : Z := fold_right
  (fun s a => snd s * Z.of_nat (tally (nth (fst s) (tallies G) (0%nat, nil)) classes p) + a)%Z (rest k) (summands k).
Definition sign (z : Z) : nat := match z with Zneg _ => 0 | Z0 => 1 | Zpos _ => 2 end.
(* the classes of every token, one after another *)
Fixpoint compared (G : counting) (ks : list comparison) (classes : nat -> list nat) (p : nat) : list nat := match ks with nil => classes p
  | k :: ks => compared G ks (fun p => classes p ++ [nth (sign (sum G k classes p)) (nth (last (classes p) 0) (turns k) nil) 0]) p end%nat.
Definition program_accepts (G : counting) (w : list nat) := nth
  (last (compared G (comparisons G) (fun p => [kind w p]) (length w)) 0%nat) (verdicts G) false.
Definition decides_counting (f : file) (G : counting) := forall w, admissible f w ->
  if program_accepts G w then accepts f w else rejects f w.

(* graphs on the vertices 0 .. n-1 (a smaller graph has isolated vertices): a walk of any length, also of length 0 *)
Inductive walk (n : nat) (edge : nat -> nat -> bool) : nat -> nat -> Prop :=
  | Here i : walk n edge i i
  | Onward i k j : (k < n)%nat -> edge i k = true -> walk n edge k j -> walk n edge i j.
(* for every directed graph and every pair of vertices, the logit is positive where a walk exists, else negative: never 0 *)
Definition decides_reachability (f : graphfile) := forall edge i j, (i < vertices f)%nat -> (j < vertices f)%nat ->
  (walk (vertices f) edge i j -> 0 < pair_logit f edge i j) /\ (~ walk (vertices f) edge i j -> pair_logit f edge i j < 0).
