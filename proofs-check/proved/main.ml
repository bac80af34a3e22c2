(* logdepth-prove: a weights file and a certificate through the checkers that Coq has proved sound. *)
open Checkers
open Document

let usage = "Usage: logdepth-prove FILE CERTIFICATE [--against DFA.json] [--record] [--coq]\n\
Prove a weights file right for every word of every length (or every graph), by a certificate of `logdepth certify --kernel`.\n\
  FILE, CERTIFICATE   JSON, not packed\n\
  --against DFA.json  compare the theorem's automaton with this one (automata-lib's JSON)\n\
  --record            note the proof beside FILE, for `logdepth info`\n\
  --coq               print the theorem and its proof as text for coqc instead\n\
Exit status: 0 proved (or printed), 1 not proved (or another language than DFA.json), 2 wrong input.\n"

let numbers list = String.concat " " (List.map Z.to_string list)

(* The automaton of a file of automata-lib: its letters, its states' arcs, initial and final states. An arc to nowhere rejects. *)
let read_dfa name letters =
  let dfa = of_file name in
  only dfa [ "states"; "input_symbols"; "transitions"; "initial_state"; "final_states" ] [ "allow_partial" ];
  let states = list text (get dfa "states") and symbols = list text (get dfa "input_symbols") in
  let state v = if List.mem (text v) states then text v else fail v "one of the states" in
  ignore (Option.map boolean (find dfa "allow_partial"));
  if List.sort compare symbols <> List.sort compare letters then
    fail (get dfa "input_symbols") ("the letters " ^ String.concat ", " (List.map quoted letters));
  let arcs of_state =
    let row = get (get dfa "transitions") of_state in
    List.map (fun (letter, _) -> if List.mem letter letters then (letter, state (get row letter)) else fail row "arcs of a deterministic automaton, with a letter each")
      (members row) in
  List.iter (fun (of_state, _) -> if not (List.mem of_state states) then fail (get dfa "transitions") "states that are listed") (members (get dfa "transitions"));
  let next = List.filter_map (fun s -> Option.map (fun _ -> (s, arcs s)) (find (get dfa "transitions") s)) states in
  (next, state (get dfa "initial_state"), list state (get dfa "final_states"))

(* A word that one of the two automata accepts and the other does not: breadth first, so a shortest one. *)
let difference x letters (next, initial, final) =
  let step_of state letter = Option.bind state (fun s -> Option.bind (List.assoc_opt s next) (List.assoc_opt letter)) in
  let seen = Hashtbl.create 64 and queue = Queue.create () in
  let visit q state word = if not (Hashtbl.mem seen (q, state)) then (Hashtbl.add seen (q, state) (); Queue.add (q, state, word) queue) in
  visit x.start (Some initial) [];
  let rec search () =
    if Queue.is_empty queue then None
    else
      let q, state, word = Queue.pop queue in
      let accepted = List.nth x.accepting (Z.to_int q) and theirs = Option.fold ~none:false ~some:(fun s -> List.mem s final) state in
      if accepted <> theirs then Some (List.rev word)
      else (
        List.iteri (fun a letter -> visit (step x q (Z.of_int a)) (step_of state letter) (letter :: word)) letters;
        search ()) in
  search ()

let report name file certificate statement =
  Printf.printf "%s: %s\nsha256     %s of the weights\nsha256     %s of the certificate\n" name statement (text (get file "sha256"))
    (Sha256.to_hex (Sha256.string certificate))

(* Into the file that `logdepth test` and `logdepth certify` write as well; what is there of other weights goes. *)
let note name hash theorem bound =
  let path = name ^ ".checks.json" in
  let is_proof = function `Assoc entry -> List.assoc_opt "kind" entry = Some (`String "proved") | _ -> false in
  let before = match if Sys.file_exists path then Yojson.Safe.from_file path else `Null with
    | `Assoc members when List.assoc_opt "sha256" members = Some (`String hash) -> (
        match List.assoc_opt "checks" members with Some (`List checks) -> List.filter (fun check -> not (is_proof check)) checks | _ -> [])
    | _ -> []
    | exception Yojson.Json_error _ -> raise (Malformed (path ^ ": is not a checks file; remove it")) in
  let text = List.map (fun (key, value) -> (key, `String value)) in
  let entry = `Assoc (text [ ("kind", "proved"); ("against", theorem); ("bound", bound); ("result", "passed"); ("compared", "") ] @ [ ("limits", `Assoc []) ]) in
  Yojson.Safe.to_file (path ^ ".part") (`Assoc (text [ ("schema", "logdepth/checks/1"); ("sha256", hash) ] @ [ ("checks", `List (before @ [ entry ])) ]));
  Sys.rename (path ^ ".part") path

let scope net = match net.unroll with Fixed (_, Some most) -> "at most " ^ Z.to_string most ^ " letters" | _ -> "every length"

let print_automaton x letters read =
  Printf.printf "states     %d, initial %s\n" (List.length x.delta) (Z.to_string x.start);
  let accepting = List.concat (List.mapi (fun q accepted -> if accepted then [ Z.of_int q ] else []) x.accepting) in
  Printf.printf "accepting  %s\n" (numbers accepting);
  List.iteri (fun a letter -> Printf.printf "letter     %s: %s\n" (quoted letter)
    (numbers (List.mapi (fun q _ -> step x (Z.of_int q) (Z.of_int a)) x.delta))) letters;
  if read.groups <> [] then
    match read.reads with
    | States -> print_endline "prefixes   every prefix is read as its state"
    | _ ->
        print_endline "prefixes   every prefix is read as the product of its letters, which are these maps of points";
        List.iter2 (fun letter map -> Printf.printf "map        %s: %s\n" (quoted letter) (numbers map)) letters read.maps

(* How a counting program gives every token its classes, and which of the last ones accept. *)
let print_program g letters =
  let listed print items = match List.concat (List.mapi print items) with [] -> "none" | lines -> String.concat ", " lines in
  Printf.printf "classes    of tokens, at first: 0 of <begin>, %s; a comparison changes them, the class of the last token decides\n"
    (listed (fun a letter -> [ Printf.sprintf "%d of %s" (a + 1) (quoted letter) ]) letters);
  let used i = List.exists (fun c -> List.exists (fun (j, _) -> Z.equal j (Z.of_int i)) c.summands) g.comparisons in
  List.iteri (fun i (since, weights) ->
    if used i then
      Printf.printf "count %-4d over the tokens up to the own one without <begin>, by the classes after comparison %s: %s\n" i (Z.to_string since)
        (listed (fun q weight -> if q = 0 || Z.sign weight = 0 then [] else [ Printf.sprintf "%s for class %d" (Z.to_string weight) q ]) weights)) g.tallies;
  List.iteri (fun k c ->
    let sum = String.concat "" (List.map (fun (i, z) -> Printf.sprintf "%s * count %s + " (Z.to_string z) (Z.to_string i)) c.summands) ^ Z.to_string c.rest in
    Printf.printf "compare %-2d %s; classes where it is negative, 0, positive: %s\n" (k + 1) sum
      (listed (fun q next ->
        let can = possible c (Z.of_int q) in  (* a sign that does not occur leads nowhere *)
        let shown sign next = if List.exists (Z.equal (Z.of_int sign)) can then Z.to_string next else "-" in
        [ Printf.sprintf "%d to %s" q (String.concat " " (List.mapi shown next)) ]) c.turns)) g.comparisons;
  Printf.printf "accepting  %s\n" (listed (fun q accepted -> if accepted then [ string_of_int q ] else []) g.verdicts)

let prove name certificate against recorded coq =
  let file = of_file name and claimed = bytes_of certificate in
  let claim = of_bytes certificate claimed and hash = Weights.identified file in
  of_format claim "logdepth-proof" "a certificate of logdepth certify --kernel";
  if text (get claim "sha256") <> hash then fail (get claim "sha256") (hash ^ ", the hash of " ^ name);
  let decided holds =
    if not holds then raise (Refused (name ^ ": the checker refuses the file with this certificate")) in
  match text (get claim "theorem") with
  | "reachability" ->
      only claim [ "format"; "version"; "sha256"; "theorem" ] [];
      let f = Weights.of_rows file in
      if against <> None then fail file "words, for --against";
      if coq then Coq_text.of_rows f hash
      else (
        decided (rowscheck f);
        report name file claimed "proved by connectivity_correct (proofs-check/coq): for every directed graph the logit of a pair is\n\
          positive where a walk leads from the first vertex to the second, else negative";
        Printf.printf "vertices   %s\n" (Z.to_string f.vertices);
        if recorded then note name hash "connectivity_correct" "every graph");
      0
  | ("shift-scan" | "resets") as theorem ->
      only claim [ "format"; "version"; "sha256"; "theorem"; "automaton"; "certificate" ] [ "maps"; "points" ];
      let f, letters, prefix = Weights.of_words file in
      let dfa = Option.map (fun name -> read_dfa name letters) against in
      let x = Certificate.automaton (get claim "automaton") and inside = get claim "certificate" in
      let r = prefix (Option.fold ~none:[] ~some:Certificate.table (find claim "maps")) (Option.fold ~none:Z.zero ~some:Certificate.small (find claim "points")) in
      let whole map = Z.equal (Z.of_int (List.length map)) r.points && List.for_all (fun image -> Z.lt image r.points) map in
      if r.reads <> States && not (List.length r.maps = List.length letters && List.for_all whole r.maps) then
        fail claim "a map of all points for every letter";
      let scan = theorem = "shift-scan" in
      if coq then (Coq_text.of_words f x r (if scan then Scan (Certificate.scan inside) else Resets (Certificate.resets f.net.width inside)) letters hash; 0)
      else (
        decided (if scan then check f (Certificate.scan inside) x r else resetcheck f (Certificate.resets f.net.width inside) x r);
        let theorem = if scan then "shift_scan_correct" else "resets_correct" in
        report name file claimed (Printf.sprintf "proved by %s (proofs-check/coq): every word of %s is accepted where this automaton accepts it,\n\
          else rejected" theorem (scope f.net));
        print_automaton x letters r;
        match Option.bind dfa (difference x letters), against with
        | Some word, Some dfa -> Printf.printf "another language than %s: they differ on the word %s\n" dfa (quoted (String.concat " " word)); 1
        | _ ->
            Option.iter (Printf.printf "same language as %s\n") against;
            if recorded then note name hash theorem (scope f.net);
            0)
  | "counting" ->
      only claim [ "format"; "version"; "sha256"; "theorem"; "program"; "certificate" ] [];
      let f, letters, _ = Weights.of_words file in
      let g = Certificate.program letters (get claim "program") and c = Certificate.counting f.net.width (get claim "certificate") in
      if against <> None then fail file "a file that computes an automaton, for --against";
      if coq then Coq_text.of_counting f g c letters hash
      else (
        decided (countcheck f g c);
        report name file claimed (Printf.sprintf "proved by counting_correct (proofs-check/coq): every word of %s is accepted where this counting\n\
          program accepts it, else rejected" (scope f.net));
        print_program g letters;
        if recorded then note name hash "counting_correct" (scope f.net));
      0
  | _ -> fail (get claim "theorem") "shift-scan, resets, counting or reachability"

let () =
  let wrong reason = raise (Malformed ("logdepth-prove: " ^ reason)) in
  let rec read files against recorded coq = function
    | "--against" :: dfa :: rest -> read files (Some dfa) recorded coq rest
    | [ "--against" ] -> wrong "--against: expected a file"
    | "--record" :: rest -> read files against true coq rest
    | "--coq" :: rest -> read files against recorded true rest
    | ("--help" | "-h") :: _ -> print_string usage; 0
    | word :: _ when word <> "" && word.[0] = '-' -> wrong ("unknown option " ^ String.escaped word)
    | word :: rest -> read (word :: files) against recorded coq rest
    | [] when coq && (recorded || against <> None) -> wrong "--coq: not with --against or --record, it proves nothing by itself"
    | [] -> (match files with [ certificate; name ] -> prove name certificate against recorded coq | _ -> prerr_string usage; 2) in
  let status =
    try
      let status = read [] None false false (List.tl (Array.to_list Sys.argv)) in
      flush stdout;
      status
    with
    | Refused reason -> prerr_endline ("not proved: " ^ reason); 1
    | Malformed reason -> prerr_endline reason; 2
    | Sys_error reason -> prerr_endline ("logdepth-prove: " ^ reason); 2
    | Stack_overflow | Out_of_memory | Z.Overflow -> prerr_endline "logdepth-prove: the input takes more stack or memory than there is"; 2 in
  (* What is left in the buffer of a full disk is not written again. *)
  if status = 2 then Unix._exit 2 else exit status
