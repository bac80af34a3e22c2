(* The checker of counting programs (C-RASP): between two layers the class of a token after some comparisons fixes its forms. A certificate
   has the forms of every class, for every layer what its heads average, and the factor of the norm in a layer that compares. *)
Require Import Reals ZArith QArith Qreals List Bool Arith.
From Logdepth Require Import Codes Rows Model Statement Settle FirstFlag Atoms Floors Checker ResetsChecker. Import ListNotations.
Open Scope nat_scope.

Record countcert := { first_forms : stage; countlayers : list (resetlayerc * option Q) (* a factor where the layer compares *) }.

Section CountingChecker.
Variables (f : file) (G : counting).
Notation m := (width (net f)).
Definition classes_of (t : stage) := length (consts t).
(* heads read classes; after any token there may be one of any class *)
Definition at_stage (done : nat) (t : stage) : resetcert := let all_ := seq 0 (classes_of t) in
  {| rcoded := Written Circle; nodes := classes_of t; edge := repeat all_ (classes_of t); kinds := all_;
     counters := map (fun x => if Nat.eqb (fst x) done then snd x else nil) (tallies G); first_stage := t; resetlayers := nil;
     to_state := all_; to_map := nil |}.
(* the sum over p + 1 as a form; the count of all letters is p *)
Definition summand_row (bs : list place) (s : nat * Z) : option row :=
  let z := inject_Z (snd s) in let t := nth (fst s) (tallies G) (0, nil) in
  match find (Share (fst s)) bs 0 with
  | Some j => Some [(3 + 4 * j, z)]
  | None => if (Nat.eqb (fst t) 0 && all (length (emb f) - 1) (fun a => Nat.eqb (nth (S a) (snd t) 0) 1))%bool
      then Some [(0, z); (1, (- z)%Q)] else None
  end.
Fixpoint summands_row (bs : list place) (l : list (nat * Z)) : option row := match l with nil => Some nil
  | s :: l => match summand_row bs s, summands_row bs l with Some x, Some y => Some (x ++ y) | _, _ => None end end.
Definition sum_row (bs : list place) (k : comparison) : row := match summands_row bs (summands k) with
  | Some x => canon ((1, inject_Z (rest k)) :: x) | None => nil end.
(* the signs that the sum can have: at <begin> the counts are 0, and it is not 0 where a divisor of all factors does not divide the rest *)
Definition divisor (l : list (nat * Z)) := fold_right (fun s a => Z.gcd (snd s) a) 0%Z l.
Definition possible (k : comparison) (q : nat) : list nat :=
  if (Nat.eqb q 0 || match summands k with nil => true | _ => false end)%bool then [sign (rest k)]
  else if Z.eqb (rest k mod divisor (summands k)) 0 then [0; 1; 2] else [0; 2].
Definition turn (k : comparison) (q s : nat) := nth s (nth q (turns k) nil) 0.
(* coordinate i of what the norm reads is a multiple of the sum over p + 1, so the norm gives its sign *)
Definition multiple (ws : list Q) (t : mat) (x : row) (i : nat) : Q := match x with
  | (a, v) :: _ => (nth i ws 0 * coef (nth i t nil) a / v)%Q | nil => 0%Q end.
Definition signnorm (ws : list Q) (t : mat) (x : row) (s : Q) : bool :=
  (Nat.eqb (length t) m && zero_mean f ws t && Qle_bool 0 s &&
   all m (fun i => eqr (scl (nth i ws 0%Q) (nth i t nil)) (scl (multiple ws t x i) x)) &&
   Qeq_bool (s * s * qsum f (fun i => multiple ws t x i * multiple ws t x i)%Q) (inject_Z (Z.of_nat m)))%bool.
Definition direction_of (sign : nat) : Q := match sign with 0 => -1 | 1 => 0 | _ => 1 end.
Definition signed (ws : list Q) (t : mat) (x : row) (s : Q) (sign : nat) : mat :=
  map (fun i => [(0, Qred (direction_of sign * s * multiple ws t x i))]) (seq 0 m).
Definition comparingok (done : nat) (t : stage) (y : layerw) (l : resetlayerc) (k : comparison) (s : Q) : bool :=
  let c := at_stage done t in let wf := dense f (fmask y) in let bs' := shifts (following l) in let outs := outputs f c bs' t y l in
  let x := sum_row bs' k in
  (attentionok f c bs' t y l && matin m (map fst (units y)) && negb (isnil x) &&
   forallb (fun s => Nat.leb (fst (nth (fst s) (tallies G) (0, nil))) done) (summands k) &&
   all (classes_of t) (fun q => let t2 := attended f c bs' t l outs q in
     signnorm wf t2 x s && forallb (fun sg => let q' := turn k q sg in
       Nat.ltb q' (classes_of (following l)) && eqb (Nat.eqb q' 0) (Nat.eqb q 0) &&
       settled t2 (scatter m (plain (units y) (signed wf t2 x s sg))) (token f (following l) q')) (possible k q)))%bool.
Fixpoint countlayersok (done : nat) (t : stage) (ys : list layerw) (ls : list (resetlayerc * option Q)) : option stage :=
  match ys, ls with
  | nil, nil => if Nat.eqb done (length (comparisons G)) then Some t else None
  | y :: ys, (l, None) :: ls => if (resetlayerok f (at_stage done t) t y l && Nat.eqb (classes_of (following l)) (classes_of t))%bool
      then countlayersok done (following l) ys ls else None
  | y :: ys, (l, Some s) :: ls => match nth_error (comparisons G) done with
      | Some k => if comparingok done t y l k s then countlayersok (S done) (following l) ys ls else None
      | None => None end
  | _, _ => None
  end.
Definition countcheck (c : countcert) : bool := (Nat.ltb 1 (length (emb f)) && Nat.ltb 0 m &&
  Nat.eqb (classes_of (first_forms c)) (length (emb f)) && firstok f (at_stage 0 (first_forms c)) (first_forms c) &&
  match repeated f, countlayersok 0 (first_forms c) (initial f ++ final f) (countlayers c) with
  | nil, Some t => readok f (plaincert (at_stage (length (comparisons G)) t)) {| delta := nil; start := 0; accepting := verdicts G |} t
  | _, _ => false
  end)%bool.
End CountingChecker.
