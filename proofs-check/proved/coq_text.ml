(* A theorem about one file as text for coqc, with the terms that the checkers are run on here. *)
open Checkers
open Document

type certificate = Scan of cert | Resets of resetcert

let most_natural = Z.of_int 4000  (* numbers of Coq's nat are chains of successors *)

let nat n = if Z.leq n most_natural then Z.to_string n else raise (Refused ("--coq: the number " ^ Z.to_string n ^ " is beyond 4000"))
let z n = "(" ^ Z.to_string n ^ ")%Z"
let q x = Printf.sprintf "(Qmake (%s) %s)" (Z.to_string x.qnum) (Z.to_string x.qden)
let bool = string_of_bool
let many print items = "[" ^ String.concat ";" (List.map print items) ^ "]"
let two first second (a, b) = "(" ^ first a ^ "," ^ second b ^ ")"
let record fields = "{| " ^ String.concat ";\n " (List.map (fun (name, value) -> name ^ " := " ^ value) fields) ^ " |}"
let row = many (two nat q)
let mat = many row
let numbers = many nat
let table = many numbers

let headw h = record [ ("causal", bool h.causal); ("hq", mat h.hq); ("hk", mat h.hk); ("hv", mat h.hv); ("ho", mat h.ho) ]
let layerw y =
  record [ ("amask", row y.amask); ("heads", many headw y.heads); ("fmask", row y.fmask); ("units", many (two row row) y.units) ]
let unrolling = function
  | CeilLog (base, minus) -> "CeilLog " ^ nat base ^ " " ^ nat minus
  | Fixed (count, None) -> "Fixed " ^ nat count ^ " None"
  | Fixed (count, Some longest) -> "Fixed " ^ nat count ^ " (Some " ^ nat longest ^ ")"
let network n =
  record [ ("width", nat n.width); ("ln", bool n.ln); ("initial", many layerw n.initial); ("repeated", many layerw n.repeated);
           ("final", many layerw n.final); ("unroll", unrolling n.unroll) ]
let encoding = function Circle -> "Circle" | TwoCircle -> "TwoCircle" | Fine offset -> "(Fine " ^ nat offset ^ ")"
let positions = function
  | FirstFlag (first, rest) -> "FirstFlag " ^ row first ^ " " ^ row rest
  | Fills (code, fills, parity) ->
      String.concat " " [ "Fills"; encoding code; many (fun g -> record [ ("ats", numbers g.ats); ("back", nat g.back); ("scale", q g.scale) ]) fills; row parity ]
let file f =
  record [ ("net", network f.net); ("emb", mat f.emb); ("pi", positions f.pi); ("uacc", row f.uacc); ("urej", row f.urej) ]
let graphfile f =
  record [ ("gnet", network f.gnet); ("vertices", nat f.vertices); ("mirrored", bool f.mirrored); ("vertex", row f.vertex);
           ("places", mat f.places); ("logits", mat f.logits) ]
let automaton x = record [ ("delta", table x.delta); ("start", nat x.start); ("accepting", many bool x.accepting) ]
let reading r =
  let reads = match r.reads with Element -> "Element" | Images -> "Images" | States -> "States" in
  record [ ("reads", reads); ("groups", many (many (two row numbers)) r.groups); ("maps", table r.maps); ("points", nat r.points) ]

let coding = function Written code -> "Written " ^ encoding code | Phi l -> "Phi " ^ q l
let number = function
  | Position -> "Position" | Once -> "Once"
  | Times n -> "Times " ^ nat n | Before n -> "Before " ^ nat n | Count i -> "Count " ^ nat i
let place = function
  | Code b -> "Code " ^ two z z b
  | Direct ns -> "Direct " ^ many (two number q) ns
  | Share i -> "Share " ^ nat i
  | Parity -> "Parity"
  | Rounded (o, m) -> "Rounded " ^ nat o ^ " " ^ nat m
let stage t = record [ ("shifts", many place t.shifts); ("consts", mat t.consts); ("parts", many (two nat (two nat q)) t.parts) ]
let norm = function Scale k -> "Scale " ^ q k | Direction s -> "Direction " ^ q s
  | Toward (from, block, s) -> String.concat " " [ "Toward"; (match from with None -> "None" | Some j -> "(Some " ^ nat j ^ ")"); nat block; q s ]
  | Odd (high, low, parity, s) -> String.concat " " [ "Odd"; nat high; nat low; nat parity; q s ]
  | Zero -> "Zero"
let layer y =
  let head = function
    | Match (block, back, a, b) -> String.concat " " [ "Match"; nat block; nat back; q a; q b ]
    | Behind (block, b, sc) -> String.concat " " [ "Behind"; nat block; two z z b; q sc ]
    | Uniform -> "Uniform"
    | Idle -> "Idle" in
  record [ ("headcs", many head y.headcs); ("norm1", norm y.norm1); ("norm2", norm y.norm2); ("factors", numbers y.factors); ("next", stage y.next) ]
let reset_layer y =
  let head = function
    | Back (block, back, a, b, history) -> String.concat " " [ "Back"; nat block; nat back; q a; q b; table history ]
    | Last (slope, top, held) -> String.concat " " [ "Last"; q slope; q top; numbers held ]
    | Mean out -> "Mean " ^ mat out
    | Nearest (block, counter, divisor, offset, residues) ->
        String.concat " " [ "Nearest"; nat block; "(" ^ number counter ^ ")"; nat divisor; nat offset; numbers residues ]
    | Fraction (divisor, offset) -> "Fraction " ^ nat divisor ^ " " ^ nat offset
    | Nothing -> "Nothing" in
  record [ ("resetheads", many head y.resetheads); ("before1", norm y.before1); ("before2", norm y.before2); ("following", stage y.following) ]
let certificate = function
  | Scan c ->
      ( "cert", "check", "shift_scan_correct",
        record [ ("coded", coding c.coded); ("size", nat c.size); ("mulT", table c.mulT); ("one", nat c.one); ("gen", numbers c.gen);
                 ("stage0", stage c.stage0); ("cinit", many layer c.cinit); ("cloop", stage c.cloop); ("length0", two z z c.length0);
                 ("factor", nat c.factor); ("cbody", many layer c.cbody); ("cfinal", many layer c.cfinal); ("phi", numbers c.phi);
                 ("acts", table c.acts) ] )
  | Resets c ->
      ( "resetcert", "resetcheck", "resets_correct",
        record [ ("rcoded", coding c.rcoded); ("nodes", nat c.nodes); ("edge", table c.edge); ("kinds", numbers c.kinds); ("counters", table c.counters);
                 ("first_stage", stage c.first_stage); ("resetlayers", many reset_layer c.resetlayers); ("to_state", numbers c.to_state);
                 ("to_map", table c.to_map) ] )

let program g =
  let comparison k = record [ ("summands", many (two nat z) k.summands); ("rest", z k.rest); ("turns", table k.turns) ] in
  record [ ("tallies", many (two nat numbers) g.tallies); ("comparisons", many comparison g.comparisons); ("verdicts", many bool g.verdicts) ]
let counting c =
  let factor = function None -> "None" | Some s -> "Some " ^ q s in
  record [ ("first_forms", stage c.first_forms); ("countlayers", many (two reset_layer factor) c.countlayers) ]

(* Nothing of a letter can end the comment. *)
let harmless s =
  let escaped c = if c = '*' || c = '"' || c = '\\' || c < ' ' then Printf.sprintf "\\x%02x" (Char.code c) else String.make 1 c in
  String.concat "" (List.map escaped (List.of_seq (String.to_seq s)))

let print hash claim definitions check name statement proof =
  Printf.printf "(* The weights file with sha256 %s: %s *)\n\
    Require Import ZArith QArith List.\n\
    From Logdepth Require Import Rows Model Statement Atoms Checker ShiftScan ClassesChecker Classes GraphChecker Connectivity.\n\
    Import ListNotations.\nOpen Scope nat_scope.\n\n" hash claim;
  List.iter (fun (name, sort, term) -> Printf.printf "Definition %s : %s := %s.\n" name sort term) definitions;
  Printf.printf "Theorem checked : %s = true.\nProof. vm_cast_no_check (eq_refl true). Qed.\nTheorem %s : %s.\n\
    Proof. exact (%s checked). Qed.\nPrint Assumptions %s.\n" check name statement proof name

let named letters = String.concat ", " (List.mapi (fun a letter -> Printf.sprintf "%d = \"%s\"" a (harmless letter)) letters)

let of_words f x r c letters hash =
  let sort, check, library, term = certificate c in
  print hash ("it computes X and R for every admissible word; letters: " ^ named letters)
    [ ("F", "file", file f); ("X", "automaton", automaton x); ("R", "reading", reading r); ("C", sort, term) ]
    (check ^ " F C X R") "right_for_every_length" "decides F X /\\ tells F X R" (library ^ " F C X R")

let of_counting f g c letters hash =
  print hash ("it accepts what the counting program G accepts, of every admissible word; letters: " ^ named letters)
    [ ("F", "file", file f); ("G", "counting", program g); ("C", "countcert", counting c) ]
    "countcheck F G C" "right_for_every_length" "decides_counting F G" "counting_correct F G C"

let of_rows f hash =
  print hash "logit j of token i is positive if a walk leads from vertex i to vertex j, else negative, for every graph"
    [ ("F", "graphfile", graphfile f) ] "rowscheck F" "right_for_every_graph" "decides_reachability F" "connectivity_correct F"
