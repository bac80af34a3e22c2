(* The three checkers as OCaml. Numbers, also those of Coq's nat, become integers of any size (Zarith): none can overflow. *)
Require Import Extraction ExtrOcamlBasic ExtrOcamlNatBigInt ExtrOcamlZBigInt.
From Logdepth Require Import Checker ResetsChecker GraphChecker.
Extraction "checkers.ml" check resetcheck rowscheck.
