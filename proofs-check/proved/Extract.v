(* The four checkers as OCaml. Numbers, also those of Coq's nat, become integers of any size (Zarith): none can overflow. The files of Coq
   that say so are believed, and the three lines below: as they are written in Coq, these functions go one down for every unit. *)
Require Import Extraction ExtrOcamlBasic ExtrOcamlNatBigInt ExtrOcamlZBigInt ZArith List.
Extract Constant Z.of_nat => "(fun n -> n)".
Extract Constant Pos.of_succ_nat => "Big_int_Z.succ_big_int".
Extract Constant nth => "(fun n l d -> if Big_int_Z.is_int_big_int n then Option.value (List.nth_opt l (Big_int_Z.int_of_big_int n)) ~default:d else d)".
From Logdepth Require Import Checker ClassesChecker GraphChecker.
Extraction "checkers.ml" check resetcheck countcheck rowscheck.
