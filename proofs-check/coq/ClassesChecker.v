(* The checker of cascades of resets. A certificate is a finite machine that reads the word: its nodes fix the forms of a token at every
   stage, and for every head a node with the value that the head reads. What it owes is in Classes.v; nothing in it is trusted. *)
Require Import Reals ZArith QArith Qreals List Bool Arith.
From Logdepth Require Import Rows Model Statement Atoms Checker.
Import ListNotations.
Open Scope nat_scope.

(* Back: the token of a shift, with a list for each position back that names a node of the same value; Last: the last token of the largest
   flag, whose score grows by slope with the position; Mean: the average over all visible tokens, as forms; Nearest: the token at position
   (count + offset) / divisor, rounded down, by a direction of that count, with the count modulo twice the divisor at every node; Fraction:
   the same of the own position, whose code is read *)
Inductive resetheadc :=
  | Back (block back : nat) (sc sc2 : Q) (history : list (list nat)) | Last (slope top : Q) (held : list nat) | Mean (out : mat)
  | Nearest (block : nat) (counter : number) (divisor offset : nat) (residues : list nat) | Fraction (divisor offset : nat) | Nothing.
Record resetlayerc := { resetheads : list resetheadc; before1 : normc; before2 : normc; following : stage }.
(* node 0 is the token <begin> *)
Record resetcert := { rcoded : coding; nodes : nat; edge : list (list nat) (* node, letter -> node *); kinds : list nat;
  counters : list (list nat) (* counter, node -> how much a token counts *); first_stage : stage;
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
Definition edges (P : nat -> nat -> bool) := all M (fun q => forallb (P q) (nth q (edge c) nil)).
Definition weight i q := nth q (nth i (counters c) nil) 0.
Definition current i := match nth i (counters c) nil with nil => false | _ => true end.
(* how much a token adds to a count, or to the position *)
Definition weight_of (v : number) q := match v with Count i => weight i q | _ => 1 end.
Definition machineok := (Nat.ltb 0 M && Nat.eqb (kd 0) 0 &&
  all M (fun q => all letters (fun l => Nat.ltb (nx q l) M && Nat.eqb (kd (nx q l)) (S l))))%bool.

(* what the embedding and the positions write *)
Definition position_at (bs : list place) (k i : nat) : option row :=
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
(* the sum of 1, of "is <begin>", of what a token counts: at a token the numbers whose averages atoms are *)
Definition counted (bs : list place) (i : nat) : option (option nat) :=
  match i with
  | 0 | 1 => Some None
  | 2 => None
  | S (S (S i)) => match nth (i / 4) bs own with Share k => if (Nat.eqb (i mod 4) 0 && current k)%bool then Some (Some k) else None | _
    => None end
  end.
Definition term (bs : list place) (q i : nat) : Q :=
  match counted bs i with
  | Some None => if (Nat.eqb i 0 || Nat.eqb q 0)%bool then 1 else 0
  | Some (Some k) => if Nat.eqb q 0 then 0 else inject_Z (Z.of_nat (weight k q))
  | None => 0
  end%Q.
Definition sum_of (r : row) (g : nat -> Q) : Q := fold_right (fun e a => Qred (snd e * g (fst e) + a))%Q 0%Q r.
(* values that are a number and a multiple of the parity, at even and at odd positions *)
Definition even_odd (bs : list place) (r : row) := forallb (fun e => (Nat.eqb (fst e) 0 ||
  match find Parity bs 0 with Some j => Nat.eqb (fst e) (3 + 4 * j) | None => false end)%bool) r.
Definition by_parity (odd : bool) (v : mat) : mat := map (map (fun e =>
  (0, if (odd && negb (Nat.eqb (fst e) 0))%bool then (- snd e)%Q else snd e))) v.
Definition added (bs bs' : list place) (h : resetheadc) (vs : list mat) : list mat :=
  match h with
  | Back block back _ _ _ => map (moveall (by_ bs block back) bs bs') vs
  | Last _ _ _ => vs
  | Mean out => [out]
  | Nearest _ _ _ _ _ => [by_parity false (nth 0 vs nil); by_parity true (nth 0 vs nil)]
  | Fraction divisor offset => match find (Rounded offset divisor) bs' 0 with
      | Some j => [map (map (fun e => (match fst e with 0 => 0 | i => i + 4 * j end, snd e))) (nth 0 vs nil)]
      | None => [nil] end
  | Nothing => [nil]
  end.
Definition held_at (h : resetheadc) (q : nat) : nat :=
  match h with
  | Back _ _ _ _ history => nth q (last history (seq 0 M)) 0
  | Last _ _ held => nth q held 0
  | Nearest _ _ divisor offset residues => ((nth q residues 0 + offset) / divisor) mod 2
  | _ => 0
  end.
Fixpoint historyok (vs : list mat) (before : list nat) (history : list (list nat)) : bool :=
  match history with
  | nil => true
  | now :: history => (alike vs 0 (nth 0 now 0) && edges (fun q q' => alike vs (nth q before 0) (nth q' now 0))
    && historyok vs now history)%bool
  end.
Definition keyform (qs ks : mat) : row := canon (flat_map (fun e => scl (coef (fst e) 0) (snd e)) (combine qs ks)).
Definition lastok (bs : list place) (slope top : Q) (held : list nat) (d : headw) (zs vs : list mat) : bool :=
  let qs := map (forms (hq d)) zs in let q0 := nth 0 qs nil in
  let kf := map (fun z => keyform q0 (forms (hk d) z)) zs in
  let flag q := Qeq_bool (coef (nth q kf nil) 0) top in
  (causal d && matin m (hq d) && matin m (hk d) && matin m (hv d) && rising (rcoded c) && same_place (nth 0 bs own) own &&
   negb (Qle_bool slope 0) && forallb constant q0 && all M (fun q => same_mat (nth q qs nil) q0 &&
     eqr (nth q kf nil) [(0, coef (nth q kf nil) 0); (3, slope)] &&
     if flag q then forallb constant (nth q vs nil) else Qle_bool (coef (nth q kf nil) 0 + slope) top) &&
   flag 0 && alike vs 0 (nth 0 held 0) &&
   edges (fun q q' => if flag q' then alike vs q' (nth q' held 0) else alike vs (nth q held 0) (nth q' held 0)))%bool.
Definition meanok (bs : list place) (out : mat) (d : headw) (zs vs : list mat) : bool :=
  (causal d && matin m (hq d) && matin m (hk d) && matin m (hv d) &&
   forallb (forallb (fun e => match counted bs (fst e) with Some _ => true | None => false end)) out &&
   all M (fun q => let v := nth q vs nil in forallb isnil (forms (hq d) (nth q zs nil)) && forallb constant v &&
     all m (fun i => Qeq_bool (coef (nth i v nil) 0) (sum_of (nth i out nil) (term bs q)))))%bool.
Definition nearestok (bs : list place) (block : nat) (counter : number) (divisor offset : nat) (residues : list nat) (d : headw)
  (zs vs : list mat) : bool :=
  let qs := map (forms (hq d)) zs in let k0 := forms (hk d) (nth 0 zs nil) in
  match nth block bs own, match counter with Count i => current i | Position => true | _ => false end with
  | Direct ns, true =>
      let xc := first_of counter ns in let xo := first_of Once ns in let at_ x := 3 + 4 * block + x in
      (causal d && matin m (hq d) && matin m (hk d) && matin m (hv d) && same_place (nth 0 bs own) own && placed (Direct ns) &&
       Nat.ltb xc (length ns) && Nat.ltb xo (length ns) && Nat.leb (length ns) 4 && forallb keyrow k0 && forallb (even_odd bs)
         (nth 0 vs nil) &&
       all M (fun q => same_mat (forms (hk d) (nth q zs nil)) k0 && alike vs q 0 &&
         let first := canon (against (nth q qs nil) k0 3) in let second := canon (against (nth q qs nil) k0 4) in
         let x1 := coef first (at_ xc) in let x0 := coef first (at_ xo) in let e := coef second (at_ xo) in
         eqr first [(at_ xc, x1); (at_ xo, x0)] && eqr second [(at_ xo, e)] && eqr (against (nth q qs nil) k0 5) nil &&
         eqr (against (nth q qs nil) k0 6) nil && floors (rcoded c) divisor offset x1 x0 e) &&
       Nat.eqb (nth 0 residues 0) 0 && all M (fun q => Nat.leb (weight_of counter q) divisor) &&
       edges (fun q q' => Nat.eqb (nth q' residues 0) ((nth q residues 0 + weight_of counter q') mod (2 * divisor))))%bool
  | _, _ => false
  end.
Definition fractionok (bs bs' : list place) (divisor offset : nat) (d : headw) (zs vs : list mat) : bool :=
  let qs := map (forms (hq d)) zs in let k0 := forms (hk d) (nth 0 zs nil) in
  match rcoded c, find (Rounded offset divisor) bs' 0 with
  | Phi L, Some _ =>
      (causal d && matin m (hq d) && matin m (hk d) && matin m (hv d) && same_place (nth 0 bs own) own && forallb keyrow k0 &&
       forallb (forallb (fun e => Nat.eqb (fst e) 0 || Nat.leb 3 (fst e) && Nat.ltb (fst e) 7)) (nth 0 vs nil) &&
       all M (fun q => same_mat (forms (hk d) (nth q zs nil)) k0 && alike vs q 0 &&
         let first := canon (against (nth q qs nil) k0 3) in let second := canon (against (nth q qs nil) k0 4) in
         let x1 := coef first 3 in let x0 := coef first 4 in let e := coef second 4 in
         eqr first [(3, x1); (4, x0)] && eqr second [(4, e)] && eqr (against (nth q qs nil) k0 5) nil &&
         eqr (against (nth q qs nil) k0 6) nil && floors (rcoded c) divisor offset x1 (x0 * L) (e * L)))%bool
  | _, _ => false
  end.
Definition resetheadok (bs bs' : list place) (h : resetheadc) (d : headw) (zs : list mat) : bool :=
  let vs := map (values f d) zs in
  match h with
  | Back block back sc sc2 history => let by' := by_ bs block back in (headok f C bs bs' (Match block back sc sc2) d zs
    && Z.eqb (fst by') 0 &&
      Z.eqb (snd by') (Z.of_nat (length history)) && historyok (map (moveall by' bs bs') vs) (seq 0 M) history)
  | Last slope top held => lastok bs slope top held d zs vs
  | Mean out => meanok bs' out d zs vs
  | Nearest block counter divisor offset residues => nearestok bs block counter divisor offset residues d zs vs
  | Fraction divisor offset => fractionok bs bs' divisor offset d zs vs
  | Nothing => headok f C bs bs' Idle d zs
  end%bool.
(* a unit that reads a number and the parity is linear in the parity: it becomes the difference of two units *)
Definition unbent (bs : list place) (u : row * row) : list (row * row) :=
  match find Parity bs 0 with
  | Some j => let p := 3 + 4 * j in
      if (even_odd bs (fst u) && negb (forallb (fun e => Nat.eqb (fst e) 0) (fst u)))%bool then
        let a := coef (fst u) 0 in let b := coef (fst u) p in let even := q0max (a + b)%Q in let odd := q0max (a - b)%Q in
        let g := [(0, ((even + odd) * (1 # 2))%Q); (p, ((even - odd) * (1 # 2))%Q)] in [(g, snd u); (neg g, neg (snd u))]
      else [u]
  | None => [u]
  end.
(* the stream before a layer, and what its heads read; what heads add, by node; the stream after attention *)
Definition tokens_of (t : stage) : list mat := map (token f t) (seq 0 M).
Definition normed (t : stage) (y : layerw) (k : resetlayerc) (ts : list mat) : list mat :=
  map (znorm f C (dense f (amask y)) (before1 k) (shifts t)) ts.
Definition outputs (bs' : list place) (t : stage) (y : layerw) (k : resetlayerc) (zs : list mat) : list (list mat) :=
  map (fun hd => added (shifts t) bs' (fst hd) (map (values f (snd hd)) zs)) (combine (resetheads k) (heads y)).
Definition attended (bs' : list place) (t : stage) (k : resetlayerc) (ts : list mat) (outs : list (list mat)) (q : nat) : mat :=
  after f (moveall none (shifts t) bs' (nth q ts nil)) (map (fun ho => nth (held_at (fst ho) q) (snd ho) nil) (combine (resetheads k)
    outs)).
Definition attentionok (bs' : list place) (t : stage) (y : layerw) (k : resetlayerc) (ts zs : list mat) : bool :=
  let wa := dense f (amask y) in let bs := shifts t in
  (goods bs && goods bs' && Nat.eqb (length (resetheads k)) (length (heads y)) &&
   all M (fun q => (match heads y with nil => true | _ => normok f C wa (before1 k) bs (nth q ts nil) end)
     && movable none bs bs' (nth q ts nil)) &&
   forallb (fun hd => resetheadok bs bs' (fst hd) (snd hd) zs) (combine (resetheads k) (heads y)))%bool.
Definition resetlayerok (t : stage) (y : layerw) (k : resetlayerc) : bool :=
  let wf := dense f (fmask y) in let bs' := shifts (following k) in
  let ts := tokens_of t in let zs := normed t y k ts in let outs := outputs bs' t y k zs in
  (attentionok bs' t y k ts zs && matin m (map fst (units y)) &&
   all M (fun q => let t2 := attended bs' t k ts outs q in
     normok f C wf (before2 k) bs' t2 && settled t2 (scatter m (flat_map (unbent bs') (plain (units y) (znorm f C wf (before2 k)
       bs' t2)))) (token f (following k) q)))%bool.
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
  match repeated f, resetlayersok (first_stage c) (initial f ++ final f) (resetlayers c) with
  | nil, Some t => readok f C X t && prefixok f C r t
  | _, _ => false
  end)%bool.
End ResetsChecker.

(* The checker of counting programs (C-RASP): between two layers the class of a token after some comparisons fixes its forms. A certificate
   has the forms of every class, for every layer what its heads average, and the factor of the norm in a layer that compares. *)

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
  let c := at_stage done t in let wf := dense f (fmask y) in let bs' := shifts (following l) in let x := sum_row bs' k in
  let ts := tokens_of f c t in let zs := normed f c t y l ts in let outs := outputs f bs' t y l zs in
  (attentionok f c bs' t y l ts zs && matin m (map fst (units y)) && negb (isnil x) &&
   forallb (fun s => Nat.leb (fst (nth (fst s) (tallies G) (0, nil))) done) (summands k) &&
   all (classes_of t) (fun q => let t2 := attended f c bs' t l ts outs q in
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
