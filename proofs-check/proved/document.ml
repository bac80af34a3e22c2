(* JSON with the place of every value, for messages; and the canonical text, whose SHA-256 names a weights file (runtime/README.md).
   Numbers keep their spelling, so none is rounded. *)

module Z = Z  (* Zarith's, for whoever opens the extracted code, which has its own, before this *)

exception Malformed of string  (* no input of this program *)
exception Refused of string  (* an input about which nothing is proved *)

type value = { place : string; json : Yojson.Raw.t }

let fail v expected = raise (Malformed (v.place ^ ": expected " ^ expected))

let quoted s =
  let escaped c = match c with
    | '"' -> "\\\"" | '\\' -> "\\\\" | '\n' -> "\\n" | '\r' -> "\\r" | '\t' -> "\\t" | '\012' -> "\\f" | '\b' -> "\\b"
    | c when c < ' ' -> Printf.sprintf "\\u%04x" (Char.code c)
    | c -> String.make 1 c in
  "\"" ^ String.concat "" (List.map escaped (List.of_seq (String.to_seq s))) ^ "\""

let utf8 s =
  let byte i = if i < String.length s then Char.code s.[i] else 0 in
  let continued first last = List.for_all (fun i -> byte i land 0xc0 = 0x80) (List.init (last - first + 1) (fun i -> first + i)) in
  let rec from i =
    let a = byte i and b = byte (i + 1) in
    if i >= String.length s then true
    else if a < 0x80 then from (i + 1)
    else if a >= 0xc2 && a < 0xe0 then continued (i + 1) (i + 1) && from (i + 2)
    else if a land 0xf0 = 0xe0 then continued (i + 1) (i + 2) && (a <> 0xe0 || b >= 0xa0) && (a <> 0xed || b < 0xa0) && from (i + 3)
    else a >= 0xf0 && a <= 0xf4 && continued (i + 1) (i + 3) && (a <> 0xf0 || b >= 0x90) && (a <> 0xf4 || b < 0x90) && from (i + 4) in
  from 0

let most_levels = 64

let rec distinct_keys levels place : Yojson.Raw.t -> unit = function
  | (`Assoc _ | `List _) when levels > most_levels -> raise (Malformed (place ^ ": expected at most 64 levels"))
  | `Assoc members ->
      let keys = List.map fst members in
      if List.length (List.sort_uniq compare keys) < List.length keys then raise (Malformed (place ^ ": expected distinct keys"));
      List.iter (fun (key, json) -> distinct_keys (levels + 1) (place ^ "." ^ String.escaped key) json) members
  | `List items -> List.iter (distinct_keys (levels + 1) place) items
  | `Tuple _ | `Variant _ -> raise (Malformed (place ^ ": no JSON"))
  | _ -> ()

(* All of a file, which is read once: what is hashed is what is parsed. *)
let bytes_of name =
  try
    let channel = open_in_bin name and bytes = Buffer.create 65536 in
    (try while true do Buffer.add_channel bytes channel 65536 done with End_of_file -> close_in channel);
    Buffer.contents bytes
  with Sys_error reason -> raise (Malformed (if String.starts_with ~prefix:name reason then reason else name ^ ": " ^ reason))

let of_bytes name bytes =
  if String.starts_with ~prefix:"\x1f\x8b" bytes then raise (Malformed (name ^ ": packed; expected JSON, unpack it with gunzip first"));
  if not (utf8 bytes) then raise (Malformed (name ^ ": expected UTF-8"));
  match Yojson.Raw.from_string bytes with
  | json -> distinct_keys 0 name json; { place = name; json }
  | exception Yojson.Json_error problem -> raise (Malformed (name ^ ": no JSON: " ^ String.escaped problem))
let of_file name = of_bytes name (bytes_of name)

let members v = match v.json with `Assoc members -> members | _ -> fail v "an object"
let find v key = Option.map (fun json -> { place = v.place ^ "." ^ String.escaped key; json }) (List.assoc_opt key (members v))
let get v key = match find v key with Some found -> found | None -> fail v ("a member " ^ key)

(* These members and no others; those after [required] may be missing. *)
let only v required optional =
  List.iter (fun key -> ignore (get v key)) required;
  List.iter (fun (key, _) -> if not (List.mem key (required @ optional)) then fail v ("no member " ^ String.escaped key)) (members v)

let items v = match v.json with
  | `List items -> List.mapi (fun i json -> { place = Printf.sprintf "%s[%d]" v.place i; json }) items
  | _ -> fail v "a list"
let list f v = List.map f (items v)
let pair f g v = match items v with [ a; b ] -> (f a, g b) | _ -> fail v "a list of two"

let decoded literal =
  match Yojson.Basic.Util.to_string (Yojson.Basic.from_string literal) with
  | text when utf8 text -> text
  | _ | exception Yojson.Json_error _ -> raise (Malformed (String.escaped literal ^ ": expected characters of Unicode"))
let text v = match v.json with `Stringlit literal -> decoded literal | _ -> fail v "a string"
let boolean v = match v.json with `Bool b -> b | _ -> fail v "true or false"

let digits s = s <> "" && String.for_all (fun c -> '0' <= c && c <= '9') s && (s = "0" || s.[0] <> '0')
let without_sign s = if s <> "" && s.[0] = '-' && s <> "-0" then String.sub s 1 (String.length s - 1) else s
let integer v = match v.json with `Intlit s when digits (without_sign s) -> Z.of_string s | _ -> fail v "an integer"
let natural v = let n = integer v in if Z.sign n < 0 then fail v "no negative number" else n
let below bound v = let n = natural v in if Z.lt n bound then n else fail v ("a number below " ^ Z.to_string bound)

(* "p" or "p/q" in lowest terms *)
let rational v =
  let wrong () = fail v "a rational in lowest terms, as a string" in
  if String.length (text v) > 20000 then fail v "at most 20000 digits";
  match String.split_on_char '/' (text v) with
  | [ p ] when digits (without_sign p) -> { Checkers.qnum = Z.of_string p; qden = Z.one }
  | [ p; q ] when digits (without_sign p) && digits q ->
      let qnum = Z.of_string p and qden = Z.of_string q in
      if Z.gt qden Z.one && Z.equal (Z.gcd qnum qden) Z.one then { Checkers.qnum; qden } else wrong ()
  | _ -> wrong ()

let rec canonical : Yojson.Raw.t -> string = function
  | `List items ->
      let nested = List.exists (function `List _ | `Assoc _ -> true | _ -> false) items in
      let inside = String.concat (if nested then ",\n" else ",") (List.map canonical items) in
      if nested then "[\n" ^ inside ^ "\n]" else "[" ^ inside ^ "]"
  | `Assoc [] -> "{}"
  | `Assoc members ->
      let line (key, json) = quoted key ^ ": " ^ canonical json in
      "{\n" ^ String.concat ",\n" (List.map line (List.sort compare members)) ^ "\n}"
  | `Stringlit literal -> quoted (decoded literal)
  | `Intlit "-0" -> "0"
  | `Intlit s | `Floatlit s -> s
  | `Bool b -> string_of_bool b
  | `Null -> "null"
  | `Tuple _ | `Variant _ -> invalid_arg "canonical"

let sha256 v =
  let hashed = List.filter (fun (key, _) -> key <> "derived" && key <> "sha256") (members v) in
  Sha256.to_hex (Sha256.string (canonical (`Assoc hashed) ^ "\n"))

let of_format v format what =
  if text (get v "format") <> format || not (Z.equal (integer (get v "version")) Z.one) then fail v what
