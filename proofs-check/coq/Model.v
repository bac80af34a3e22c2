(* The meaning of a weights file that reads words or graphs (runtime/README.md, "The model"; MS25 Definitions 2.1 to 2.3), on the real
   numbers. Nothing here knows of products, automata or walks. This file is part of what has to be believed: it is short so that it can be
   read. *)
Require Import Reals Lra Lia QArith Qreals List Bool Arith. From Logdepth Require Import Rows. Import ListNotations.
Open Scope R_scope.

Record headw := { causal : bool; hq : mat; hk : mat; hv : mat; ho : mat }.
Record layerw := { amask : row; heads : list headw; fmask : row;
  units : list (row * row) (* of a hidden unit: row of IN, column of OUT *) }.
Record fill := { ats : list nat; back : nat; scale : Q }.
Inductive encoding := Circle | TwoCircle | Fine (offset : nat).
Inductive positions := Fills (e : encoding) (l : list fill) (parity : row) | FirstFlag (first rest : row).
Inductive unrolling := CeilLog (base minus : nat) | Fixed (count : nat) (longest : option nat).
Record network := { width : nat; ln : bool (* layernorm, else rms *);
                    initial : list layerw; repeated : list layerw; final : list layerw; unroll : unrolling }.
(* a file of words; and one of graphs, with a token and an entry of places for every vertex, and a row of logits for every target *)
Record file := { net :> network; emb : mat (* row 0: <begin>, row 1+a: letter a *); pi : positions; uacc : row; urej : row }.
Record graphfile := { gnet :> network; vertices : nat; mirrored : bool; vertex : row; places : mat; logits : mat }.

(* what hidden units add to coordinate c, where z is what they read *)
Fixpoint unitsum (us : list (row * row)) (z : nat -> R) (c : nat) : R :=
  match us with nil => 0 | u :: us => Q2R (coef (snd u) c) * relu (dot (fst u) z) + unitsum us z c end.
(* component i of the code of position p; a circle has two components *)
Definition kc (e : encoding) (i p : nat) : R :=
  match e with
  | Circle => match i with 0%nat => kx p | 1%nat => ky p | 2%nat => 1 | _ => 0 end   (* 2 and 3 are never read *)
  | TwoCircle => let l := Nat.log2 (S p) in
      match i with 0%nat => cx (T p / 2 ^ l) | 1%nat => cy (T p / 2 ^ l) | 2%nat => cx (INR l + 1) | 3%nat => cy (INR l + 1) | _ => 0 end
  | Fine b => let t := 2 * INR p + INR b in match i with 0%nat => - cx t | 1%nat => cy t | 2%nat => 1 | _ => 0 end
  end.
Definition size (e : encoding) := match e with TwoCircle => 4%nat | _ => 2%nat end.

Section Semantics.
Variable f : network.
Variable tokens : nat.
Definition masked (mask : row) (x : nat -> R) c := Q2R (coef mask c) * x c.
Definition ss (x : nat -> R) := sumn (width f) (fun c => x c * x c).
Definition mean (x : nat -> R) := if ln f then sumn (width f) x / INR (width f) else 0.
Definition centred (x : nat -> R) c := x c - mean x.
Definition norm (x : nat -> R) c := sqrt (INR (width f)) * centred x c * / sqrt (ss (centred x)).   (* 0 for 0 *)
Definition visible (causal : bool) p := if causal then seq 0 (S p) else seq 0 tokens.
Definition leb (x y : R) : bool := if Rle_dec x y then true else false.
Definition argmax (s : nat -> R) (l : list nat) := filter (fun j => forallb (fun j' => leb (s j') (s j)) l) l.
Definition average (v : nat -> R) (l : list nat) := sumf v l / INR (length l).
Definition attend (y : layerw) (h : nat -> nat -> R) (d : headw) p c :=
  let z j := norm (masked (amask y) (h j)) in
  dot (nth c (ho d) nil) (fun r => average (fun j => dot (nth r (hv d) nil) (z j))
    (argmax (fun j => score (hq d) (hk d) (z p) (z j)) (visible (causal d) p))).
Definition attention (y : layerw) (h : nat -> nat -> R) p c := fold_right (fun d a => attend y h d p c + a) (h p c) (heads y).
Definition feedforward (y : layerw) (x : nat -> R) c :=
  x c + unitsum (units y) (norm (masked (fmask y) x)) c.
Definition layer (h : nat -> nat -> R) (y : layerw) p := feedforward y (attention y h p).
Definition block (ys : list layerw) (h : nat -> nat -> R) := fold_left layer ys h.
(* the least l with n <= base^l; n is the length of the word, or the number of vertices *)
Definition ceil_log base n := match find (fun l => Nat.leb n (base ^ l)) (seq 0 (S n)) with Some l => l | None => n end.
Definition loops n := match unroll f with CeilLog base minus => ceil_log base (n - minus) | Fixed count _ => count end.
Definition run n (h : nat -> nat -> R) := block (final f) (Nat.iter (loops n) (block (repeated f)) (block (initial f) h)).
End Semantics.

Section Words.
Variable f : file.
Variable word : list nat.
Definition tokens := (length word + 1)%nat.
Definition kind p := nth p (0%nat :: map S word) 1%nat.   (* beyond the word there are no tokens: no head sees them *)
Definition filled e (g : fill) p c := Q2R (scale g) *
  fold_right (fun x b => (if Nat.eqb c (snd x) then kc e (fst x) (p - back g) else 0) + b) 0 (combine (seq 0 (size e)) (ats g)).
Definition position p c :=
  match pi f with
  | Fills e l parity => fold_right (fun g a => filled e g p c + a) 0 l + (if Nat.even p then 1 else -1) * Q2R (coef parity c)
  | FirstFlag first rest => Q2R (coef (if Nat.eqb p 0 then first else rest) c)
  end.
Definition h0 p c := Q2R (coef (nth (kind p) (emb f) nil) c) + position p c.
Definition stream := run f tokens (length word) h0.
Definition margin := dot (uacc f) (stream (length word)) - dot (urej f) (stream (length word)).
End Words.

(* a word of the file's letters, not longer than the file takes *)
Definition admissible (f : file) (w : list nat) :=
  Forall (fun a => (a < length (emb f) - 1)%nat) w /\
  match unroll f with Fixed _ (Some longest) => (length w <= longest)%nat | _ => True end.
Definition accepts f w := 0 < margin f w.
Definition rejects f w := margin f w < 0.

Section Graphs.
Variable f : graphfile.
Variable edge : nat -> nat -> bool.
(* token i is given row i of the adjacency matrix as 1 and -1, with 1 on the diagonal; if mirrored, the negative in the second half *)
Definition entry i j := if (Nat.eqb i j || edge i j)%bool then 1 else -1.
Definition given i c :=
  (if Nat.ltb c (vertices f) then entry i c else 0) -
  (if (mirrored f && Nat.leb (Nat.div2 (width f)) c && Nat.ltb (c - Nat.div2 (width f)) (vertices f))%bool
   then entry i (c - Nat.div2 (width f)) else 0).
Definition vertex0 i c := Q2R (coef (vertex f) c) + Q2R (coef (nth i (places f) nil) c) + given i c.
(* row j at token i *)
Definition pair_logit i j := dot (nth j (logits f) nil) (run f (vertices f) (vertices f) vertex0 i).
End Graphs.
