(* The checker of a file and its certificate (Gallina, run by vm_compute). What it owes is in Norms.v to ShiftScan.v; nothing in the
   certificate is trusted. A stage describes the stream between two layers: for every label, that is element of a finite monoid, each
   coordinate as a form over atoms. A layer certificate names what each head selects, both norms, which heads fetch factors of the
   product, and the stage after the layer. *)
Require Import Reals ZArith QArith Qreals List Bool Arith.
From Logdepth Require Import Rows Model Statement Atoms.
Import ListNotations.
Open Scope nat_scope.

Record stage := { shifts : list place; consts : mat (* label -> constants *);
  parts : list (nat * (nat * Q)) (* coordinate, atom, factor *) }.
Inductive normc := Scale (k : Q) (* z = k mask x *) | Direction (s : Q) (* z = s (a, b/L) phi(p), x = (a p + b)/(p+1) *)
  | Toward (from : option nat) (block : nat) (s : Q) (* z is s times the direction in a block of places; x is 1/(p+1) times its numbers, or
    the direction in another block *)
  | Odd (high low parity : nat) (s : Q) (* x is the difference of the codes at p/2, rounded up and down: 0 at even p *) | Zero.
Inductive headc := Match (block back : nat) (sc sc2 : Q) (* the query's code, minus back *)
  | Behind (block : nat) (b : shift) (sc : Q) (* the query is a direction, minus b *) | Uniform | Idle (* adds nothing *).
Record layerc := { headcs : list headc; norm1 : normc; norm2 : normc; factors : list nat (* heads, the oldest letters first *);
  next : stage }.
Record cert := { coded : coding; size : nat; mulT : list (list nat); one : nat; gen : list nat; (* gen: 0 = <begin>, 1+a = letter a *)
                 stage0 : stage; cinit : list layerc; cloop : stage; length0 : shift; factor : nat; cbody : list layerc;
                   cfinal : list layerc;
                 phi : list nat (* label -> state of the automaton *); acts : list (list nat) (* label -> map of points *) }.
Definition none := (0%Z, 0%Z).
Definition isnil (r : row) := match r with nil => true | _ => false end.

Section Checker.
Variables (f : file) (c : cert) (X : automaton) (r : reading).
Notation m := (width (net f)).
Notation M := (size c).
Definition ml a b := nth b (nth a (mulT c) nil) 0.
Definition gn k := nth k (gen c) 0.
Definition token (t : stage) (a : nat) : mat := let own := nth a (consts t) nil in
  map (fun i => canon ((0, coef own i) :: flat_map (fun e => if Nat.eqb (fst e) i then [snd e] else nil) (parts t)))
    (seq 0 m).

(* norms: the sum of squares is a constant, or the masked vector is (a p + b)/(p+1); ws is the mask, a number for every coordinate *)
Definition dense (r : row) : list Q := map (coef r) (seq 0 m).
Definition square (w : Q) (r : row) : option row :=
  if Qeq_bool w 0 then Some nil else
  match r with
  | nil => Some nil
  | [(i, v)] => Some [(i, Qred (w * v * (w * v)))]
  | [(0%nat, u); (2%nat, v)] => Some [(0%nat, Qred (w * u * (w * u))); (2%nat, Qred (w * w * (2 * u * v + v * v)))]
  | _ => None
  end%Q.
Fixpoint squares (ws : list Q) (t : mat) : option row :=
  match ws, t with
  | w :: ws, r :: t => match square w r, squares ws t with Some q, Some s => Some (q ++ s) | _, _ => None end
  | _, _ => Some nil
  end.
Definition block_at (bs : list place) (i : nat) : place := nth ((i - 3) / 4) bs own.
(* the squares of all components of a direction, i first, as often as their weights say *)
Fixpoint whole (i : nat) (v : Q) (ns : list (number * Q)) (q : row) : option row :=
  match ns, q with
  | nil, _ => Some q
  | x :: ns, (j, u) :: q => if (Nat.eqb j i && Qeq_bool u (v * snd x))%bool then whole (S i) v ns q else None
  | _, _ => None
  end.
Fixpoint pairs (bs : list place) (n : nat) (q : row) : option Q :=
  match n, q with
  | _, nil => Some 0%Q
  | S n, (i, v) :: rest =>
      let next x q := match pairs bs n q with Some y => Some (x + y)%Q | None => None end in
      if Nat.eqb i 0 then next v rest else
      if Nat.ltb i 3 then None else
      match block_at bs i with
      | Code _ => match rest with
          | (j, w) :: rest => if (Nat.even (i - 3) && Nat.eqb j (S i) && Qeq_bool v w)%bool then next v rest else None
          | nil => None end
      | Parity => if Nat.eqb ((i - 3) mod 4) 0 then next v rest else None
      | Direct ns => let x := (v / snd (nth 0 ns (Once, 1)))%Q in
          if (Nat.eqb ((i - 3) mod 4) 0 && placed (Direct ns) && Nat.leb (length ns) 4)%bool
          then match whole i x ns q with Some rest => next x rest | None => None end else None
      | _ => None
      end
  | _, _ => None
  end.
Fixpoint total (ws : list Q) (t : mat) : row :=
  match ws, t with w :: ws, r :: t => scl w r ++ total ws t | _, _ => nil end.
Definition zero_mean (ws : list Q) (t : mat) := if ln f then isnil (canon (total ws t)) else true.
Definition line (w : Q) (r : row) : option (Q * Q) :=
  if Qeq_bool w 0 then Some (0, 0)%Q else
  match r with
  | nil => Some (0, 0)
  | [(0%nat, u)] => Some (Qred (w * u), Qred (w * u))
  | [(1%nat, v)] => Some (0, Qred (w * v))
  | [(0%nat, u); (1%nat, v)] => Some (Qred (w * u), Qred (w * (u + v)))
  | _ => None
  end%Q.
Definition line_at (ws : list Q) (t : mat) i := line (nth i ws 0%Q) (nth i t nil).
Definition line_of (ws : list Q) (t : mat) i := match line_at ws t i with Some x => x | None => (0, 0)%Q end.
(* a coordinate as a multiple of one number: of 1/(p+1) times it, or of a direction by the component *)
Definition number_of (bs : list place) (r : row) : option (number * Q) :=
  match r with
  | nil => Some (Once, 0%Q)
  | [(1, v)] => Some (Once, v)
  | [(0, u); (1, v)] => if Qeq_bool (u + v) 0 then Some (Position, u) else None
  | [(S (S (S i)), v)] => match nth (i / 4) bs own with Share k => if Nat.eqb (i mod 4) 0 then Some (Count k, v) else None | _ => None end
  | _ => None
  end.
(* v as so many times w *)
Definition ratio_of (v w : number) : option Q :=
  match v, w with
  | Times k, Times n => if Nat.eqb n 0 then None else Some (inject_Z (Z.of_nat k) / inject_Z (Z.of_nat n))%Q
  | _, _ => if number_dec v w then Some 1%Q else None
  end.
Definition component_of (from : option nat) (ns : list (number * Q)) (bs : list place) (w : Q) (r : row) : option (nat * Q) :=
  if Qeq_bool w 0 then Some (0, 0%Q) else
  match from with
  | None => match number_of bs r with Some (v, a) => Some (first_of v ns, (w * a)%Q) | None => None end
  | Some j => match r, nth j bs own with
      | nil, Direct _ => Some (0, 0%Q)
      | [(i, v)], Direct old => let x := i - (3 + 4 * j) in
          if (Nat.leb (3 + 4 * j) i && Nat.ltb x 4)%bool
          then match ratio_of (nth_number old x) (nth_number ns x) with Some q => Some (x, (w * v * q)%Q) | None => None end else None
      | _, _ => None
      end
  end.
Definition component_at from ns bs (ws : list Q) (t : mat) i := component_of from ns bs (nth i ws 0%Q) (nth i t nil).
Definition at_component from ns bs ws t i := match component_at from ns bs ws t i with Some x => x | None => (0, 0%Q) end.
Definition twinned ns (x : nat) := twin (Direct ns) x.
Definition qsum (g : nat -> Q) := fold_right (fun i a => Qred (g i + a)) 0%Q (seq 0 m).
Definition silent (p : Q * row) := (Qeq_bool (fst p) 0 || isnil (snd p))%bool.
Definition jump (ws : list Q) (t : mat) high i : Q := (nth i ws 0 * coef (nth i t nil) (3 + 4 * high))%Q.
Definition normok (ws : list Q) (n : normc) (bs : list place) (t : mat) : bool :=
  match n with
  | Scale k => match squares ws t with
               | Some q => match pairs bs (S (length q)) (canon q) with
                           | Some x => Nat.eqb (length t) m && zero_mean ws t && Qle_bool 0 k
                             && Qeq_bool (k * k * x) (inject_Z (Z.of_nat m))
                           | None => false end
               | None => false end
  | Direction s => match coded c with
      | Phi L => let a i := fst (line_of ws t i) in let b i := snd (line_of ws t i) in let aa := qsum (fun i => a i * a i)%Q in
          Nat.eqb (length t) m && all m (fun i => match line_at ws t i with Some _ => true | None => false end) && zero_mean ws t &&
          same_place (nth 0 bs own) own &&
          Qeq_bool (qsum (fun i => a i * b i)%Q) 0 && negb (Qle_bool aa 0) && Qeq_bool (qsum (fun i => b i * b i)%Q) (L * L * aa) &&
          Qle_bool 0 s && Qeq_bool (s * s * aa) (inject_Z (Z.of_nat m))
      | Written _ => false end
  | Toward from block s => match nth block bs own with
      | Direct ns => Nat.eqb (length t) m && zero_mean ws t && placed (Direct ns) && Qle_bool 0 s && Nat.leb (length ns) 4 &&
          match from with Some j => match nth j bs own with Direct old => placed (Direct old) | _ => false end | None => true end &&
          all m (fun i => match component_at from ns bs ws t i with Some (x, a) => Qeq_bool a 0 || Nat.ltb x (length ns)
            | None => false end) &&
          eqr (map (fun i => let (x, a) := at_component from ns bs ws t i in (twinned ns x, (s * a * (s * a))%Q)) (seq 0 m))
            (map (fun x => (twinned ns x, (inject_Z (Z.of_nat m) * snd (nth x ns (Once, 0)))%Q)) (seq 0 (length ns)))
      | _ => false end
  | Odd high low parity s =>
      match nth high bs own, nth low bs own, nth parity bs own with
      | Rounded 1 2, Rounded 0 2, Parity => Nat.eqb (length t) m && zero_mean ws t && rising (coded c) && Qle_bool 0 s &&
          all m (fun i => Qeq_bool (nth i ws 0%Q) 0 || let a := coef (nth i t nil) (3 + 4 * high) in
            eqr (nth i t nil) [(3 + 4 * high, a); (3 + 4 * low, (- a)%Q)]) &&
          Qeq_bool (s * s * qsum (fun i => jump ws t high i * jump ws t high i)%Q) (inject_Z (Z.of_nat m))
      | _, _, _ => false end
  | Zero => Nat.eqb (length t) m && forallb silent (combine ws t)
  end%bool.
Definition znorm (ws : list Q) (n : normc) (bs : list place) (t : mat) : mat :=
  match n with
  | Scale k => map (fun p => scl (Qred (k * fst p)) (snd p)) (combine ws t)
  | Direction s => match coded c with
      | Phi L => map (fun i => let (a, b) := line_of ws t i in [(3%nat, Qred (s * a)); (4%nat, Qred (s * b / L))]) (seq 0 m)
      | Written _ => nil end
  | Toward from block s => match nth block bs own with
      | Direct ns => map (fun i => let (x, a) := at_component from ns bs ws t i in [((3 + 4 * block + x)%nat, Qred (s * a))]) (seq 0 m)
      | _ => nil end
  | Odd high low parity s => map (fun i => let a := (s * jump ws t high i / 2)%Q in
      [(0%nat, Qred a); ((3 + 4 * parity)%nat, Qred (- a))]) (seq 0 m)
  | Zero => nil
  end%Q.

(* what a head selects: score = sum over key atoms 3 to 6 of a query form times that atom *)
Definition against (qs ks : mat) (b : nat) : row := flat_map (fun e => scl (coef (snd e) b) (fst e)) (combine qs ks).
Definition keyrow (r : row) := forallb (fun e => Nat.leb 3 (fst e) && Nat.ltb (fst e) 7)%bool r.
Definition shift_at (bs : list place) (block : nat) : shift := match nth block bs own with Code b => b | _ => none end.
Definition by_ (bs : list place) (block back : nat) : shift := plus (shift_at bs block) (0%Z, Z.of_nat back).
(* how far back the token is that a head selects *)
Definition reach (bs : list place) (h : headc) : option shift :=
  match h with Match block back _ _ => Some (by_ bs block back) | Behind _ b _ => Some b | _ => None end.
Definition scores (block back : nat) (sc sc2 : Q) (qs ks : mat) : bool :=
  (let q := 3 + 4 * block in
  eqr (against qs ks 3) [(q, sc); (q + 1, match coded c with Phi L => (- (inject_Z (Z.of_nat back) / L * sc))%Q | Written _ => 0%Q end)] &&
  eqr (against qs ks 4) [(q + 1, sc)] && eqr (against qs ks 5) [(q + 2, sc2)] && eqr (against qs ks 6) [(q + 3, sc2)] &&
  negb (Qle_bool sc 0) &&
  match coded c with
  | Written (Circle | Fine _) => Qeq_bool sc2 0 && Nat.eqb back 0
  | Written TwoCircle => negb (Qle_bool sc2 0) && Nat.eqb back 0
  | Phi _ => Qeq_bool sc2 0
  end)%bool.
Definition scores_behind (block : nat) (b : shift) (sc : Q) (qs ks : mat) : bool :=
  let q := 3 + 4 * block in
  match coded c with
  | Phi L => (negb (Qle_bool sc 0) &&
      eqr (against qs ks 3) [(q, sc); (S q, (- inject_Z (fst b) * sc)%Q); (S (S q), (- inject_Z (snd b) * sc)%Q)] &&
      eqr (against qs ks 4) [(S (S q), (L * sc)%Q)] && eqr (against qs ks 5) nil && eqr (against qs ks 6) nil)%bool
  | Written _ => false
  end.
Lemma mat_dec (a b : mat) : {a = b} + {a <> b}.
Proof. exact (list_eq_dec row_dec a b). Defined.
Definition same_mat a b := if mat_dec a b then true else false.
Definition values (d : headw) (z : mat) : mat := let vs := forms (hv d) z in map (fun i => canon (subst (nth i (ho d) nil) vs)) (seq 0 m).
Definition movable (by_ : shift) (bs bs' : list place) (t : mat) := forallb
  (fun r => match move by_ bs bs' r with Some _ => true | None => false end) t.
Definition moveall (by_ : shift) (bs bs' : list place) (t : mat) : mat := map
  (fun r => match move by_ bs bs' r with Some r => r | None => nil end) t.
Definition averaged (r : row) : row := map (fun e => (match fst e with 2 => 1 | i => i end, snd e)) r.
Definition headout (bs bs' : list place) (h : headc) (d : headw) (z : mat) : mat :=
  match h with
  | Match block back _ _ => moveall (by_ bs block back) bs bs' (values d z)
  | Behind _ b _ => moveall b bs bs' (values d z)
  | Uniform => map averaged (values d z)
  | Idle => nil
  end.
(* the token so far back is selected, by scores that do not depend on the label of the key *)
Definition onlyok (bs bs' : list place) (by_ : shift) (fits : mat -> mat -> bool) (d : headw) (qs ks vs : list mat) : bool :=
  (causal d && same_place (nth 0 bs own) own && good by_ && forallb keyrow (nth 0 ks nil) &&
   all M (fun a => same_mat (nth a ks nil) (nth 0 ks nil) && fits (nth a qs nil) (nth 0 ks nil)) &&
   all M (fun a => movable by_ bs bs' (nth a vs nil)))%bool.
Definition headok (bs bs' : list place) (h : headc) (d : headw) (zs : list mat) : bool :=
  let qs := map (forms (hq d)) zs in let ks := map (forms (hk d)) zs in let vs := map (values d) zs in
  (matin m (hq d) && matin m (hk d) && matin m (hv d) &&
  match h with
  | Match block back sc sc2 => match nth block bs own with
      | Code _ => onlyok bs bs' (by_ bs block back) (scores block back sc sc2) d qs ks vs
      | _ => false end
  | Behind block b sc => match nth block bs own with
      | Direct ((Position, w) :: (Times 1, w1) :: (Once, w2) :: ns) => placed (block_at bs (3 + 4 * block))
        && onlyok bs bs' b (scores_behind block b sc) d qs ks vs
      | _ => false end
  | Uniform => causal d && all M (fun a => forallb isnil (nth a qs nil) && same_mat (nth a vs nil) (nth 0 vs nil)) &&
      forallb (forallb (fun e => Nat.eqb (fst e) 0 || Nat.eqb (fst e) 2)) (nth 0 vs nil)
  | Idle => all M (fun a => forallb isnil (nth a vs nil))
  end)%bool.
Definition after (own : mat) (outs : list mat) : mat := map (fun i => canon (nth i own nil ++ flat_map (fun o => nth i o nil) outs))
  (seq 0 m).
(* choices of the labels that heads fetch: what a head adds may be the same for all labels, and it may be no factor of the product *)
Definition flat (os : list mat) := forallb (same_mat (nth 0 os nil)) os.
Definition free (fs : list nat) (i : nat) (os : list mat) := (flat os && negb (existsb (Nat.eqb i) fs))%bool.
Fixpoint tuples (fs : list nat) (i : nat) (outs : list (list mat)) : list (list nat) :=
  match outs with
  | nil => [nil]
  | os :: outs => let ts := tuples fs (S i) outs in flat_map (fun b => map (cons b) ts) (if free fs i os then [0] else seq 0 M)
  end.

(* the product: heads of the list fetch labels at shifts ..., 2 len, len, and the token has its own *)
Fixpoint ordered (bs : list place) (hs : list headc) (len : shift) (fs : list nat) : option Z :=
  match fs with
  | nil => Some 1%Z
  | d :: fs => match ordered bs hs len fs, reach bs (nth d hs Uniform) with
               | Some j, Some b => if same b (times j len) then Some (j + 1)%Z else None
               | _, _ => None end
  end.
Definition prod (fs : list nat) (t : list nat) (a : nat) : nat := fold_right (fun d x => ml (nth d t 0) x) a fs.
(* hidden units: with a norm that multiplies, the form of a unit is a sum of what the own token and each head give it *)
Definition lin (r : row) (z : mat) : row := canon (subst r z).
Definition share := (list row * (list (list row) * option Q))%type.      (* by own label; by head and its label, and the most that is *)
Fixpoint most (rs : list row) : option Q :=
  match rs with
  | nil => Some 0%Q
  | r :: rs => match most rs with Some q => if isconst r then let v := coef r 0 in Some
    (if Qle_bool v q then q else v) else None | None => None end
  end.
Definition most_of (rss : list (list row)) : option Q :=
  fold_right (fun rs a => match most rs, a with Some x, Some y => Some (Qred (x + y)) | _, _ => None end) (Some 0%Q) rss.
Definition table (us : list (row * row)) (zo : list mat) (zf : list (list mat)) : list (share * row) :=
  map (fun u => let fs := map (map (lin (fst u))) zf in ((map (lin (fst u)) zo, (fs, most_of fs)), snd u)) us.
Definition dead (own : row) (top : option Q) : bool :=
  match top with Some q => (isconst own && Qle_bool (coef own 0 + q) 0)%bool | None => false end.
Definition living (a : nat) (tb : list (share * row)) : list (row * list (list row) * row) :=
  flat_map (fun e => let own := nth a (fst (fst e)) nil in if dead own (snd (snd (fst e))) then nil else [((own, fst (snd (fst e))),
    snd e)]) tb.
Definition fetched {A} (xs : list (list (list A))) (t : list nat) : list A := flat_map (fun p => nth (snd p) (fst p) nil) (combine xs t).
Definition at_tuple (lv : list (row * list (list row) * row)) (t : list nat) : list (row * row) :=
  map (fun e => (canon (fst (fst e) ++ fetched (snd (fst e)) t), snd e)) lv.
Definition plain (us : list (row * row)) (z : mat) : list (row * row) := map (fun u => (lin (fst u) z, snd u)) us.
Definition layerok (t : stage) (len : shift) (y : layerw) (k : layerc) : bool :=
  let wa := dense (amask y) in let wf := dense (fmask y) in let n2 := norm2 k in
  let ts := map (token t) (seq 0 M) in let nexts := map (token (next k)) (seq 0 M) in
  let bs := shifts t in let bs' := shifts (next k) in let zs := map (znorm wa (norm1 k) bs) ts in
  let owns := map (moveall none bs bs') ts in
  let outs := map (fun hd => map (headout bs bs' (fst hd) (snd hd)) zs) (combine (headcs k) (heads y)) in
  let tb := match n2 with Scale _ => table (units y) (map (znorm wf n2 bs') owns) (map (map (znorm wf n2 bs')) outs) | _ => nil end in
  let tu := tuples (factors k) 0 outs in
  (goods bs && goods bs' && Nat.eqb (length (headcs k)) (length (heads y)) && matin m (map fst (units y)) &&
  all M (fun a => (match heads y with nil => true | _ => normok wa (norm1 k) bs (nth a ts nil) end)
    && movable none bs bs' (nth a ts nil)) &&
  forallb (fun hd => headok bs bs' (fst hd) (snd hd) zs) (combine (headcs k) (heads y)) &&
  match ordered bs (headcs k) len (factors k) with Some _ => true | None => false end &&
  all M (fun a => let own := nth a owns nil in let lv := living a tb in
    forallb (fun t => let t2 := after own (map (fun ob => nth (snd ob) (fst ob) nil) (combine outs t)) in
      normok wf n2 bs' t2 &&
      settled t2 (scatter m (match n2 with Scale _ => at_tuple lv t | _ => plain (units y) (znorm wf n2 bs' t2) end))
        (nth (prod (factors k) t a) nexts nil)) tu))%bool.
Definition longer_by (t : stage) (len : shift) (k : layerc) : shift :=
  match ordered (shifts t) (headcs k) len (factors k) with Some j => times j len | None => len end.
Fixpoint layersok (t : stage) (len : shift) (ys : list layerw) (ks : list layerc) : option (stage * shift) :=
  match ys, ks with
  | nil, nil => Some (t, len)
  | y :: ys, k :: ks => if layerok t len y k then layersok (next k) (longer_by t len k) ys ks else None
  | _, _ => None
  end.
(* the same stream, described by another stage; of shifts that are equal the first one is compared *)
Definition restaged (t t' : stage) (bs' : list place) : bool :=
  (goods (shifts t) && goods bs' && all M (fun a => let x := token t a in let x' := token t' a in
    movable none (shifts t) bs' x && movable none bs' bs' x' &&
    all m (fun i => eqr (nth i (moveall none (shifts t) bs' x) nil) (nth i (moveall none bs' bs' x') nil))))%bool.

(* what the embedding and the positions write *)
Definition filled0 (bs : list place) (i : nat) (g : fill) (n : nat) : option row :=
  match find (Code (0%Z, Z.of_nat (back g))) bs 0 with
  | Some j => Some (flat_map (fun x => if Nat.eqb i (snd x) then [(3 + 4 * j + fst x, scale g)] else nil) (combine (seq 0 n) (ats g)))
  | None => None
  end.
Fixpoint fills0 (bs : list place) (i n : nat) (l : list fill) : option row :=
  match l with nil => Some nil | g :: l => match filled0 bs i g n, fills0 bs i n l with Some a, Some b => Some (a ++ b) | _,
    _ => None end end.
Definition parity0 (bs : list place) (parity : row) (i : nat) (x : option row) : option row :=
  match x, coef parity i, find Parity bs 0 with
  | Some x, q, Some j => Some ((3 + 4 * j, q) :: x)
  | Some x, q, None => if Qeq_bool q 0 then Some x else None
  | None, _, _ => None
  end.
Definition position0 (bs : list place) (i : nat) : option row :=
  match pi f, coded c with
  | Fills Circle l pr, Written Circle => parity0 bs pr i (fills0 bs i 2 l)
  | Fills TwoCircle l pr, Written TwoCircle => parity0 bs pr i (fills0 bs i 4 l)
  | Fills (Fine b) l pr, Written (Fine b') => if Nat.eqb b b' then parity0 bs pr i (fills0 bs i 2 l) else None
  | FirstFlag first rest, Phi _ => Some [(0, coef rest i); (2, Qred (coef first i - coef rest i))]
  | _, _ => None
  end.
Definition baseok (t : stage) := all m (fun i => match position0 (shifts t) i with None => false
  | Some r => all (length (emb f)) (fun k => eqr ((0, coef (nth k (emb f) nil) i) :: r) (nth i (token t (gn k)) nil)) end).
Definition monoidok := (Nat.ltb (one c) M && Nat.eqb (gn 0) (one c) && all (length (emb f)) (fun k => Nat.ltb (gn k) M) &&
  all M (fun a => Nat.eqb (ml a (one c)) a && Nat.eqb (ml (one c) a) a && all M (fun b => Nat.ltb (ml a b) M &&
     all M (fun d => Nat.eqb (ml (ml a b) d) (ml a (ml b d))))))%bool.

(* every length: the intervals of all tokens begin at position 0 after the last loop *)
Definition enough (len : shift) : bool :=
  match unroll f with
  | CeilLog base minus => Nat.leb 2 base && Nat.leb base (factor c) && Z.leb 1 (fst len) && Z.leb (Z.of_nat minus) (snd len)
    && Z.leb (Z.of_nat minus + 1) (fst len + snd len)
  | Fixed count None => false
  | Fixed count (Some longest) => Z.leb (Z.of_nat longest) (fst len * Z.of_nat (factor c) ^ Z.of_nat count + snd len)
  end%bool.
(* with one label the lengths of intervals do not matter *)
Definition trivial := Nat.eqb M 1.
Definition agree (a b : shift) := (trivial || same a b)%bool.
Definition staged : option stage :=
  match layersok (stage0 c) (0%Z, 1%Z) (initial f) (cinit c) with
  | Some (t1, len1) =>
      match layersok (cloop c) (length0 c) (repeated f) (cbody c), layersok (cloop c) (length0 c) (final f) (cfinal c) with
      | Some (t2, len2), Some (t3, len3) =>
          let to := cloop c in
          if (baseok (stage0 c) && goods (shifts (stage0 c)) && restaged t1 to (map at_one (shifts to))
            && agree len1 (shift_at_one (length0 c)) && good (length0 c) &&
              Nat.leb 1 (factor c) && forallb (lasting (factor c)) (shifts to) && restaged t2 to (map (longer (factor c)) (shifts to))
                && agree len2 (longer_shift (Z.of_nat (factor c)) (length0 c)) &&
              good len3 && (trivial || enough len3))%bool
          then Some t3 else None
      | _, _ => None end
  | None => None
  end.
Definition ph a := nth a (phi c) 0.
Definition act a := nth a (acts c) nil.
Definition fn q := nth q (accepting X) false.
Definition readok (t : stage) := (inb m (uacc f) && inb m (urej f) && all M (fun a =>
  let d := canon (subst (uacc f) (token t a) ++ scl (-1) (subst (urej f) (token t a))) in
  isconst d && (if fn (ph a) then negb (Qle_bool (coef d 0) 0) else negb (Qle_bool 0 (coef d 0)))))%bool.
Definition autok := (Nat.eqb (ph (one c)) (start X) && all M (fun a => all (length (emb f) - 1) (fun l => Nat.eqb (ph (ml a (gn (S l))))
  (step X (ph a) l))))%bool.
(* the prefix read-out *)
Lemma nats_dec (a b : list nat) : {a = b} + {a <> b}.
Proof. repeat decide equality. Defined.
Definition eqn a b := if nats_dec a b then true else false.
Definition logit (t : mat) (e : row * list nat) : bool * Q := let s := canon (subst (fst e) t) in ((inb m (fst e)
  && isconst s)%bool, coef s 0).
Definition groupok (t : mat) (G : list (row * list nat)) (v : list nat) := let ls := map (logit t) G in
  (forallb fst ls && existsb (fun i => eqn (snd (nth i G norow)) v &&
    let x := snd (nth i ls (true, 0%Q)) in all (length G) (fun j => Nat.eqb j i || negb (Qle_bool x (snd (nth j ls (true, 0%Q))))))
      (seq 0 (length G)))%bool.
Definition actok := (eqn (act (one c)) (seq 0 (points r)) &&
  all M (fun a => all (length (emb f) - 1) (fun l => eqn (act (ml a (gn (S l)))) (compose (act a) (nth l (maps r) nil)))))%bool.
Definition prefixok (t : stage) := all M (fun a => let ta := token t a in all (length (groups r)) (fun g => groupok ta (nth g
  (groups r) nil) (meant r g (act a) (ph a)))).
Definition check := (Nat.ltb 1 (length (emb f)) && Nat.ltb 0 m && codingok (coded c) && monoidok && autok && actok &&
  match staged with Some t => readok t && prefixok t | None => false end)%bool.
End Checker.
