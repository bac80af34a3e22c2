(* The checker of cascades of resets. A certificate is a finite machine that reads the word: its nodes fix the forms of a token at every
   stage, and for every head a node with the value that the head reads. What it owes is in Resets.v; nothing in it is trusted. *)
Require Import Reals ZArith QArith Qreals List Bool Arith.
From Logdepth Require Import Codes Rows Model Statement Settle FirstFlag Atoms Checker. Import ListNotations.
Open Scope nat_scope.

(* Back: the token of a shift, with a list for each position back that names a node of the same value; Last: the last token of the largest
   flag, whose score grows by slope with the position; Mean: the average over all visible tokens *)
Inductive resetheadc :=
  | Back (block back : nat) (sc sc2 : Q) (history : list (list nat)) | Last (slope top : Q) (held : list nat) | Mean | Nothing.
Record resetlayerc := { resetheads : list resetheadc; before1 : normc; before2 : normc; following : stage }.
(* node 0 is the token <begin> *)
Record resetcert := { rcoded : coding; nodes : nat; edge : list (list nat) (* node, letter -> node *); kinds : list nat;
  first_stage : stage;
                      resetlayers : list resetlayerc; to_state : list nat; to_map : list (list nat) }.
Definition plaincert (c : resetcert) : cert :=
  {| coded := rcoded c; Checker.size := nodes c; mulT := nil; one := 0; gen := nil; stage0 := first_stage c; cinit := nil;
     cloop := first_stage c; length0 := none; factor := 0; cbody := nil; cfinal := nil; phi := to_state c; acts := to_map c |}.

Section ResetsChecker.
Variables (f : file) (c : resetcert) (X : automaton) (r : reading).
Notation m := (width (net f)).
Notation M := (nodes c).
Notation C := (plaincert c).
Notation letters := (length (emb f) - 1).
Definition nx q l := nth l (nth q (edge c) nil) 0.
Definition kd q := nth q (kinds c) 0.
Definition edges (P : nat -> nat -> bool) := all M (fun q => all letters (fun l => P q (nx q l))).
Definition machineok := (Nat.ltb 0 M && Nat.eqb (kd 0) 0 &&
  all M (fun q => all letters (fun l => Nat.ltb (nx q l) M && Nat.eqb (kd (nx q l)) (S l))))%bool.

(* what the embedding and the positions write *)
Definition position_at (bs : list shift) (k i : nat) : option row :=
  match pi f with
  | FirstFlag first rest => Some [(0, coef (if Nat.eqb k 0 then first else rest) i)]
  | _ => position0 f C bs i
  end.
Definition firstok (t : stage) := (goods (shifts t) && all M (fun q => all m (fun i =>
  match position_at (shifts t) (kd q) i with
  | Some x => eqr ((0, coef (nth (kd q) (emb f) nil) i) :: x) (nth i (token f t q) nil)
  | None => false end)))%bool.

(* heads: what is added, by node, and the node whose value a head adds at a node *)
Definition constant (x : row) := forallb (fun e => Nat.eqb (fst e) 0) x.
Definition alike (os : list mat) (a b : nat) := same_mat (nth a os nil) (nth b os nil).
Definition averages (v0 v1 : mat) : mat :=
  map (fun i => [(0, coef (nth i v1 nil) 0); (1, Qred (coef (nth i v0 nil) 0 - coef (nth i v1 nil) 0))]) (seq 0 m).
Definition added (bs bs' : list shift) (h : resetheadc) (vs : list mat) : list mat :=
  match h with
  | Back block back _ _ _ => map (moveall (by_ bs block back) bs bs') vs
  | Last _ _ _ => vs
  | Mean => [averages (nth 0 vs nil) (nth 1 vs nil)]
  | Nothing => [nil]
  end.
Definition held_at (h : resetheadc) (q : nat) : nat :=
  match h with
  | Back _ _ _ _ history => nth q (last history (seq 0 M)) 0
  | Last _ _ held => nth q held 0
  | _ => 0
  end.
Fixpoint historyok (vs : list mat) (before : list nat) (history : list (list nat)) : bool :=
  match history with
  | nil => true
  | now :: history => (alike vs 0 (nth 0 now 0) && edges (fun q q' => alike vs (nth q before 0) (nth q' now 0))
    && historyok vs now history)%bool
  end.
Definition keyform (qs ks : mat) : row := canon (flat_map (fun e => scl (coef (fst e) 0) (snd e)) (combine qs ks)).
Definition rising (k : coding) := match k with Written (Fine b) => Nat.leb 1 b | Phi _ => true | _ => false end.
Definition lastok (bs : list shift) (slope top : Q) (held : list nat) (d : headw) (zs vs : list mat) : bool :=
  let qs := map (forms (hq d)) zs in let q0 := nth 0 qs nil in
  let kf := map (fun z => keyform q0 (forms (hk d) z)) zs in
  let flag q := Qeq_bool (coef (nth q kf nil) 0) top in
  (causal d && matin m (hq d) && matin m (hk d) && matin m (hv d) && rising (rcoded c) && same (nth 0 bs none) none &&
   negb (Qle_bool slope 0) && forallb constant q0 && all M (fun q => same_mat (nth q qs nil) q0 &&
     eqr (nth q kf nil) [(0, coef (nth q kf nil) 0); (3, slope)] &&
     if flag q then forallb constant (nth q vs nil) else Qle_bool (coef (nth q kf nil) 0 + slope) top) &&
   flag 0 && alike vs 0 (nth 0 held 0) &&
   edges (fun q q' => if flag q' then alike vs q' (nth q' held 0) else alike vs (nth q held 0) (nth q' held 0)))%bool.
Definition meanok (d : headw) (zs vs : list mat) : bool :=
  (causal d && matin m (hq d) && matin m (hk d) && matin m (hv d) &&
   all M (fun q => forallb isnil (forms (hq d) (nth q zs nil)) && forallb constant (nth q vs nil) && (Nat.eqb q 0 || alike vs q 1)))%bool.
Definition resetheadok (bs bs' : list shift) (h : resetheadc) (d : headw) (zs : list mat) : bool :=
  let vs := map (values f d) zs in
  match h with
  | Back block back sc sc2 history => let by' := by_ bs block back in (headok f C bs bs' (Match block back sc sc2) d zs
    && Z.eqb (fst by') 0 &&
      Z.eqb (snd by') (Z.of_nat (length history)) && historyok (map (moveall by' bs bs') vs) (seq 0 M) history)
  | Last slope top held => lastok bs slope top held d zs vs
  | Mean => meanok d zs vs
  | Nothing => headok f C bs bs' Idle d zs
  end%bool.
Definition resetlayerok (t : stage) (y : layerw) (k : resetlayerc) : bool :=
  let wa := dense f (amask y) in let wf := dense f (fmask y) in let bs := shifts t in let bs' := shifts (following k) in
  let ts := map (token f t) (seq 0 M) in let zs := map (znorm f C wa (before1 k)) ts in
  let heads' := combine (resetheads k) (heads y) in
  let outs := map (fun hd => added bs bs' (fst hd) (map (values f (snd hd)) zs)) heads' in
  (goods bs && goods bs' && Nat.eqb (length (resetheads k)) (length (heads y)) && matin m (map fst (units y)) &&
   all M (fun q => (match heads y with nil => true | _ => normok f C wa (before1 k) bs (nth q ts nil) end)
     && movable none bs bs' (nth q ts nil)) &&
   forallb (fun hd => resetheadok bs bs' (fst hd) (snd hd) zs) heads' &&
   all M (fun q =>
     let t2 := after f (moveall none bs bs' (nth q ts nil)) (map (fun ho => nth (held_at (fst ho) q) (snd ho) nil) (combine
       (resetheads k) outs)) in
     normok f C wf (before2 k) bs' t2 && settled t2 (scatter m (plain (units y) (znorm f C wf (before2 k) t2))) (token f
       (following k) q)))%bool.
Fixpoint resetlayersok (t : stage) (ys : list layerw) (ks : list resetlayerc) : option stage :=
  match ys, ks with
  | nil, nil => Some t
  | y :: ys, k :: ks => if resetlayerok t y k then resetlayersok (following k) ys ks else None
  | _, _ => None
  end.
(* the automaton and the maps of the letters follow the machine *)
Definition stateok := (Nat.eqb (ph C 0) (start X) && all M (fun q => all letters (fun l => Nat.eqb (ph C (nx q l)) (step X
  (ph C q) l))))%bool.
Definition mapok := (eqn (act C 0) (seq 0 (points r)) && all M (fun q => all letters (fun l => eqn (act C (nx q l)) (compose (act C q)
  (nth l (maps r) nil)))))%bool.
Definition resetcheck := (Nat.ltb 1 (length (emb f)) && Nat.ltb 0 m && codingok (rcoded c) && machineok && stateok && mapok
  && firstok (first_stage c) &&
  match repeated f, final f, resetlayersok (first_stage c) (initial f) (resetlayers c) with
  | nil, nil, Some t => readok f C X t && prefixok f C r t
  | _, _, _ => false
  end)%bool.
End ResetsChecker.
