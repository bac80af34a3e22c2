(* The checker of a file that reads a graph row by row; it takes no certificate. Tokens are concrete, and a coordinate is a form over flags
   (1 or -1) of a relation r with r i i: atom 0 is the number 1, atom 1 + n i + j is r i j, atom 1 + n n + n i + j is (r;r) i j. One layer
   has to replace r by r;r in every coordinate. What the function owes is in Connectivity.v. *)
Require Import Reals ZArith QArith Qreals List Bool Arith.
From Logdepth Require Import Codes Rows Model Settle Checker Walks. Import ListNotations.
Open Scope nat_scope.

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
Definition third i j := match find (fun k => negb (Nat.eqb k i || Nat.eqb k j)) (seq 0 n) with Some k => k | None => n end.
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
  | Some scores => match find (prefers i scores) (seq 0 n) with
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
