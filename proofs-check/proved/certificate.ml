(* What `logdepth certify --kernel` writes: an automaton, the maps of its letters, and a certificate, which nobody has to trust. *)
open Checkers
open Document

(* The checker compares numbers of Coq's nat one down at a time. *)
let small = below (Z.of_int 65536)
let row = list (pair small rational)
let numbers = list small
let table = list numbers
let shift = pair integer integer
let part v = match items v with
  | [ coordinate; atom; factor ] -> (small coordinate, (small atom, rational factor))
  | _ -> fail v "[coordinate, atom, factor]"
(* A list that begins with its name. *)
let named v = match items v with name :: arguments -> (text name, arguments) | [] -> fail v "a name"
let number v = match named v with
  | "position", [] -> Position
  | "times", [ n ] -> Times (small n)
  | "before", [ n ] -> Before (small n)
  | "once", [] -> Once
  | "count", [ i ] -> Count (small i)
  | _ -> fail v "a number"
let place v = match items v with
  | { json = `Stringlit _; _ } :: _ -> (match named v with
      | "direct", [ numbers ] -> Direct (list (pair number rational) numbers)
      | "share", [ i ] -> Share (small i)
      | "parity", [] -> Parity
      | "rounded", [ offset; divisor ] -> Rounded (small offset, small divisor)
      | _ -> fail v "a place")
  | _ -> Code (shift v)
let stage v = { shifts = list place (get v "places"); consts = list row (get v "consts"); parts = list part (get v "parts") }

let coding v = match named v with
  | "phi", [ parameter ] -> Phi (rational parameter)
  | "fine", [ offset ] -> Written (Fine (natural offset))
  | "circle", [] -> Written Circle
  | "two-circle", [] -> Written TwoCircle
  | _ -> fail v "a position code"
let norm v = match named v with
  | "scale", [ factor ] -> Scale (rational factor)
  | "direction", [ factor ] -> Direction (rational factor)
  | "toward", [ from; block; factor ] -> Toward ((if from.json = `Null then None else Some (small from)), small block, rational factor)
  | "odd", [ high; low; parity; factor ] -> Odd (small high, small low, small parity, rational factor)
  | "zero", [] -> Zero
  | _ -> fail v "a norm"
let norms v = pair norm norm (get v "norms")

let most_labels = 200  (* the checker multiplies all triples of labels *)
let most_nodes = 1000

let layer v =
  let head h = match named h with
    | "match", [ block; back; first; second; _ ] -> Match (small block, small back, rational first, rational second)
    | "behind", [ block; b; factor ] -> Behind (small block, shift b, rational factor)
    | "mean", [ _ ] -> Uniform
    | "idle", [] -> Idle
    | _ -> fail h "a head of a scan" in
  let norm1, norm2 = norms v in
  { headcs = list head (get v "heads"); norm1; norm2; factors = numbers (get v "factors"); next = stage (get v "next") }

let scan v =
  let layers name = list layer (get v name) and acts = table (get v "acts") in
  if List.length acts > most_labels then fail (get v "acts") "at most 200 labels";
  { coded = coding (get v "coded"); size = Z.of_int (List.length acts); mulT = table (get v "mulT"); one = Z.zero; gen = numbers (get v "gen");
    stage0 = stage (get v "stage0"); cinit = layers "cinit"; cloop = stage (get v "cloop"); length0 = shift (get v "length0");
    factor = small (get v "factor"); cbody = layers "cbody"; cfinal = layers "cfinal"; phi = numbers (get v "phi"); acts }

(* rows of all coordinates; those that are not listed are empty *)
let average width v =
  let listed = list (pair small row) v in
  List.init (Z.to_int width) (fun c -> Option.value (List.assoc_opt (Z.of_int c) listed) ~default:[])

let reset_layer width v =
  let head h = match named h with
    | "match", [ block; back; first; second; held ] -> Back (small block, small back, rational first, rational second, table held)
    | "last", [ slope; top; held ] -> Last (rational slope, rational top, numbers held)
    | "mean", [ out ] -> Mean (average width out)
    | "nearest", [ block; counter; divisor; offset; residues ] ->
        Nearest (small block, number counter, small divisor, small offset, numbers residues)
    | "fraction", [ divisor; offset ] -> Fraction (small divisor, small offset)
    | "idle", [] -> Nothing
    | _ -> fail h "a head of a cascade" in
  let before1, before2 = norms v in
  { resetheads = list head (get v "heads"); before1; before2; following = stage (get v "next") }

let resets width v =
  let edge = table (get v "edge") in
  if List.length edge > most_nodes then fail (get v "edge") "at most 1000 nodes";
  { rcoded = coding (get v "coded"); nodes = Z.of_int (List.length edge); edge; kinds = numbers (get v "kinds"); counters = table (get v "counters");
    first_stage = stage (get v "first_stage"); resetlayers = list (reset_layer width) (get v "layers");
    to_state = numbers (get v "to_state"); to_map = table (get v "to_map") }

(* A certificate of a counting program has the forms of every class of tokens, and the factor of the norm of a layer that compares. *)
let counting width v =
  let forms v =
    let t = stage v in
    if List.length t.consts > most_nodes then fail v "at most 1000 classes";
    t in
  let layer v =
    let factor = get v "compares" in
    let made = reset_layer width v in
    ({ made with following = forms (get v "next") }, if factor.json = `Null then None else Some (rational factor)) in
  { first_forms = forms (get v "first"); countlayers = list layer (get v "layers") }

(* It is printed with the theorem, so nothing in it is superfluous or missing. *)
let program letters v =
  only v [ "tallies"; "comparisons"; "verdicts" ] [];
  let counts = below (Z.of_int (List.length (items (get v "tallies")))) and classes = ref (List.length letters + 1) in
  let for_every_class items v = if List.length items = !classes then items else fail v "as many items as there are classes" in
  let comparison v =
    only v [ "summands"; "rest"; "turns" ] [];
    let turns = for_every_class (table (get v "turns")) (get v "turns") in
    if List.exists (fun turn -> List.length turn <> 3) turns then fail (get v "turns") "a class for each of three signs";
    classes := 1 + Z.to_int (List.fold_left Z.max Z.zero (List.concat turns));
    { summands = list (pair counts integer) (get v "summands"); rest = integer (get v "rest"); turns } in
  let comparisons = list comparison (get v "comparisons") in
  { tallies = list (pair (below (Z.of_int (List.length comparisons + 1))) (list natural)) (get v "tallies"); comparisons;
    verdicts = (let v = get v "verdicts" in for_every_class (list boolean v) v) }

let automaton v =
  only v [ "delta"; "start"; "accepting" ] [];
  let accepting = list boolean (get v "accepting") in
  let state = below (Z.of_int (List.length accepting)) in
  let delta = list (list state) (get v "delta") in
  if List.length delta <> List.length accepting then fail v "a verdict for every state";
  { delta; start = state (get v "start"); accepting }
