(* The weights file (runtime/README.md) as the records of Model.v: this reading is believed when a theorem is about a file. *)
open Checkers
open Document

(* The file is of the format, and its content has the hash that it states, which is returned. *)
let identified file =
  of_format file "logdepth-weights" "format logdepth-weights, version 1";
  only file
    [ "format"; "version"; "name"; "construction"; "source"; "hypotheses"; "deviations"; "parameters"; "alphabet"; "input"; "output";
      "norm"; "width"; "shape"; "unroll"; "position"; "embedding"; "layers"; "unembedding"; "sha256" ]
    [ "cells"; "derived" ];
  let hash = sha256 file in
  if hash <> text (get file "sha256") then fail (get file "sha256") (hash ^ ", the hash of the content");
  hash

let small = below (Z.of_int (1 lsl 24))  (* what lists are as long as *)
let not_zero v = let q = rational v in if Z.sign q.qnum = 0 then fail v "no zero" else q

(* [[index, rational], ...] with increasing indices, no zero *)
let vector width v =
  let entries = list (pair (below width) not_zero) v in
  let rec increasing = function
    | (i, _) :: ((j, _) :: _ as rest) -> if Z.lt i j then increasing rest else fail v "increasing indices"
    | _ -> entries in
  increasing entries

type matrix = { row_count : Z.t; column_count : Z.t; by_row : mat }

let matrix v =
  only v [ "rows"; "columns"; "entries" ] [];
  let row_count = small (get v "rows") and column_count = small (get v "columns") in
  let by_row = Array.make (Z.to_int row_count) [] in
  let last = ref (Z.zero, Z.minus_one) in
  let add e = match items e with
    | [ r; c; x ] ->
        let at = (below row_count r, below column_count c) and q = not_zero x in
        if compare (fst at) (fst !last) < 0 || (Z.equal (fst at) (fst !last) && Z.leq (snd at) (snd !last)) then fail e "increasing places";
        last := at;
        let r = Z.to_int (fst at) in
        by_row.(r) <- (snd at, q) :: by_row.(r)
    | _ -> fail e "[row, column, rational]" in
  List.iter add (items (get v "entries"));
  { row_count; column_count; by_row = Array.to_list (Array.map List.rev by_row) }

let shaped v rows columns =
  let m = matrix v in
  if Z.equal m.row_count rows && Z.equal m.column_count columns then m.by_row else fail v "a matrix of another shape"

let columns m =
  let out = Array.make (Z.to_int m.column_count) [] in
  List.iteri (fun r -> List.iter (fun (c, q) -> out.(Z.to_int c) <- (Z.of_int r, q) :: out.(Z.to_int c))) m.by_row;
  Array.to_list (Array.map List.rev out)

let head width v =
  only v [ "causal"; "query"; "key"; "value"; "output"; "promise" ] [];
  let key = matrix (get v "key") and output = matrix (get v "output") in
  { causal = boolean (get v "causal");
    hq = shaped (get v "query") key.row_count width; hk = shaped (get v "key") key.row_count width;
    hv = shaped (get v "value") output.column_count width; ho = shaped (get v "output") width output.column_count }

let layer width v =
  only v [ "block"; "attention"; "feedforward" ] [];
  let attention = get v "attention" and feedforward = get v "feedforward" in
  only attention [ "mask"; "heads" ] [];
  only feedforward [ "mask"; "in"; "out" ] [];
  let into = matrix (get feedforward "in") and out = matrix (get feedforward "out") in
  if not (Z.equal into.column_count width && Z.equal out.row_count width && Z.equal into.row_count out.column_count) then
    fail feedforward "in and out of the file's width, with the same hidden units";
  { amask = vector width (get attention "mask"); heads = list (head width) (get attention "heads");
    fmask = vector width (get feedforward "mask"); units = List.combine into.by_row (columns out) }

(* [counted] names what the number of loops grows with; a limit is part of the statement or, as that of graphs, is returned. *)
let unrolling v counted =
  let limit = Option.map natural (find v "max_length") in
  match text (get v "kind") with
  | "fixed" ->
      only v [ "kind"; "loops" ] [ "max_length" ];
      let loops = natural (get v "loops") in  (* the checker computes the power of a stride *)
      if Z.gt loops (Z.of_int 4096) then raise (Refused (v.place ^ ": more than 4096 loops"));
      (Fixed (loops, limit), limit)
  | ("ceil_log2" | "ceil_log") as kind when text (get v "of") = counted ->
      let based = kind = "ceil_log" in
      only v ([ "kind"; "of"; "minus" ] @ if based then [ "base" ] else []) [ "max_length" ];
      let base = if based then below (Z.of_int 65536) (get v "base") else Z.of_int 2 in
      if based && Z.lt base (Z.of_int 3) then fail (get v "base") "a base of 3 or more";
      (CeilLog (base, below (Z.of_int 2) (get v "minus")), limit)
  | _ -> raise (Refused (v.place ^ ": loops that the library does not count"))

let network file counted =
  let width = small (get file "width") in
  if Z.gt width (Z.of_int 10000) then raise (Refused (file.place ^ ".width: more than 10000"));
  let layers = items (get file "layers") in
  let block name = List.map (layer width) (List.filter (fun v -> text (get v "block") = name) layers) in
  let ln = match text (get file "norm") with "rms" -> false | "layernorm" -> true | _ -> fail file "the norm rms or layernorm" in
  let unroll, limit = unrolling (get file "unroll") counted in
  let net = { width; ln; initial = block "initial"; repeated = block "repeated"; final = block "final"; unroll } in
  let shape = get file "shape" in
  only shape [ "initial"; "repeated"; "final" ] [];
  let stated name = List.init (Z.to_int (small (get shape name))) (fun _ -> name) in
  if List.map (fun v -> text (get v "block")) layers <> stated "initial" @ stated "repeated" @ stated "final" then
    fail shape "the blocks of the layers";
  (net, limit)

let positions width v =
  let filled components fill =
    only fill [ "at"; "back"; "scale" ] [];
    let ats = list (below width) (get fill "at") in
    if List.length ats <> components then fail fill "a coordinate for every component of the code";
    { ats; back = natural (get fill "back"); scale = not_zero (get fill "scale") } in
  let fills more encoding components =
    only v ([ "kind"; "fills" ] @ more) [ "parity" ];
    let parity = Option.fold ~none:[] ~some:(vector width) (find v "parity") in
    if find v "parity" <> None && parity = [] then fail (get v "parity") "a vector that is not zero";
    let made = list (filled components) (get v "fills") in
    let ats = List.concat_map (fun g -> g.ats) made @ List.map fst parity in
    if List.length (List.sort_uniq Z.compare ats) < List.length ats then fail v "coordinates that are filled once";
    Fills (encoding (), made, parity) in
  match text (get v "kind") with
  | "first-flag" -> only v [ "kind"; "first"; "rest" ] []; FirstFlag (vector width (get v "first"), vector width (get v "rest"))
  | "circle" -> fills [] (fun () -> Circle) 2
  | "two-circle" -> fills [] (fun () -> TwoCircle) 4
  | "fine" -> fills [ "offset" ] (fun () -> let offset = natural (get v "offset") in if Z.sign offset = 0 then fail v "an offset of 1 or more" else Fine offset) 2
  | _ -> raise (Refused (v.place ^ ": positions that the library does not cover"))

let embedding file width kinds =
  let rows = get file "embedding" in
  only rows kinds [];
  List.map (fun kind -> vector width (get rows kind)) kinds

(* White space, control characters, characters without a width, that turn the direction of a line or are none; of UTF-8. *)
let disturbs letter =
  let byte i = if i < String.length letter then Char.code letter.[i] else 0 in
  let at i =
    let pair = (byte i lsl 8) lor byte (i + 1) and last = byte (i + 2) in
    byte i <= 32 || byte i = 0x7f || (pair >= 0xc280 && pair <= 0xc2a0) || pair = 0xc2ad || (pair = 0xe19a && last = 0x80)
    || (pair = 0xe280 && (last <= 0x8f || (last >= 0xa8 && last <= 0xaf))) || (pair = 0xe281 && last >= 0x9f && last <= 0xa9)
    || (pair = 0xe380 && last = 0x80) || (pair = 0xefbb && last = 0xbf) || (pair = 0xefbf && last >= 0xbe) in
  List.mem letter [ ""; "<begin>"; "<end>" ] || List.exists at (List.init (String.length letter) Fun.id)

(* What is read at every prefix: the kind, a group of rows for every point, and the number of points. *)
let prefix v row =
  let next = ref (natural (get v "first_row")) in
  let meaning value = let r = !next in next := Z.succ r; (row r, value) in
  let distinct values = List.length (List.sort_uniq compare values) = List.length values in
  match text (get v "kind") with
  | "element" ->
      only v [ "kind"; "elements"; "first_row" ] [];
      let points = Z.of_int (match items (get v "elements") with [] -> 0 | element :: _ -> List.length (items element)) in
      let elements = list (list (below points)) (get v "elements") in
      let whole element = element <> [] && Z.equal (Z.of_int (List.length element)) points in
      if elements = [] || not (distinct elements && List.for_all whole elements) then fail v "distinct elements of the same points";
      (Element, [ List.map meaning elements ], Some points)
  | "state" ->
      only v [ "kind"; "states"; "first_row" ] [];
      let states = List.init (Z.to_int (small (get v "states"))) Z.of_int in
      if states = [] then fail v "at least one state";
      (States, [ List.map (fun q -> meaning [ q ]) states ], Some Z.zero)
  | "transformation" ->
      only v [ "kind"; "points"; "images"; "first_row" ] [];
      let points = natural (get v "points") in
      if Z.sign points = 0 then fail v "at least one point";
      let images = list (list (below points)) (get v "images") in
      let increasing group = group <> [] && List.sort_uniq Z.compare group = group in
      if not (Z.equal (Z.of_int (List.length images)) points && List.for_all increasing images) then fail v "for every point its images, increasing";
      (Images, List.map (List.map (fun i -> meaning [ i ])) images, Some points)
  | _ -> fail v "the kind element, state or transformation"

(* The file, its letters, and which row of the prefix read-out is for what; the maps of the letters are not in a file. *)
let of_words file =
  let net, limit = network file "letters" in
  (match (net.unroll, limit) with
   | CeilLog _, Some _ -> raise (Refused (file.place ^ ".unroll: max_length with a number of loops that grows"))
   | _ -> ());
  let input = get file "input" and output = get file "output" in
  if text (get input "kind") <> "word" || find input "end" <> None || not (boolean (get input "begin")) then raise (Refused (input.place ^ ": no words after <begin>"));
  only input [ "kind"; "begin" ] [];
  let letters = list text (get file "alphabet") in
  if letters = [] || List.exists disturbs letters then fail (get file "alphabet") "letters without white space and control characters";
  if List.length (List.sort_uniq compare letters) < List.length letters then fail (get file "alphabet") "distinct letters";
  let rows = matrix (get file "unembedding") in
  if not (Z.equal rows.column_count net.width) then fail (get file "unembedding") "columns of the file's width";
  if text (get output "kind") <> "accept" then raise (Refused (output.place ^ ": no verdict"));
  only output [ "kind"; "accept"; "reject" ] [ "prefix" ];
  let claimed = ref [] in
  let by_row = Array.of_list rows.by_row in
  let row v r = claimed := r :: !claimed; if Z.lt r rows.row_count then by_row.(Z.to_int r) else fail v "a row of the unembedding" in
  let verdict key = row (get output key) (natural (get output key)) in
  let read = { net; emb = embedding file net.width ("<begin>" :: letters); pi = positions net.width (get file "position");
               uacc = verdict "accept"; urej = verdict "reject" } in
  let reads, groups, points = match find output "prefix" with None -> (Images, [], None) | Some v -> prefix v (row v) in
  (* Every row of the unembedding has one meaning. *)
  if List.sort Z.compare !claimed <> List.init (Z.to_int rows.row_count) Z.of_int then fail output "one meaning for every row of the unembedding";
  (read, letters, fun maps known -> { reads; groups; maps = (if reads = States then [] else maps); points = Option.value points ~default:known })

let of_rows file =
  let gnet, limit = network file "vertices" in
  let input = get file "input" and output = get file "output" and position = get file "position" in
  if text (get input "kind") <> "graph" || text (get input "layout") <> "rows" then raise (Refused (input.place ^ ": a graph that is not given row by row"));
  only input [ "kind"; "layout"; "size" ] [ "mirrored" ];
  if text (get output "kind") <> "relation" then raise (Refused (output.place ^ ": no relation"));
  only output [ "kind" ] [];
  let vertices = small (get input "size") in
  if items (get file "alphabet") <> [] then fail (get file "alphabet") "no letters";
  (match limit with Some most when Z.lt most vertices -> raise (Refused (file.place ^ ".unroll: a max_length below the size")) | _ -> ());
  if text (get position "kind") <> "table" then raise (Refused (position.place ^ ": no table"));
  only position [ "kind"; "rows" ] [];
  { gnet; vertices; mirrored = Option.fold ~none:false ~some:(fun v -> boolean v || fail v "true, or no such member") (find input "mirrored");
    vertex = List.hd (embedding file gnet.width [ "<vertex>" ]); places = list (vector gnet.width) (get position "rows");
    logits = shaped (get file "unembedding") vertices gnet.width }
