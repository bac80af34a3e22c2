(* The three checkers as OCaml. Numbers, also those of Coq's nat, become integers of any size (Zarith): none can overflow. The files of Coq
   that say so are believed, and the two lines below: as they are written in Coq, these functions go one down for every unit. *)
Require Import Extraction ExtrOcamlBasic ExtrOcamlNatBigInt ExtrOcamlZBigInt ZArith.
Extract Constant Z.of_nat => "(fun n -> n)".
Extract Constant Pos.of_succ_nat => "Big_int_Z.succ_big_int".
From Logdepth Require Import Checker ResetsChecker GraphChecker.
Extraction "checkers.ml" check resetcheck rowscheck.
