(* The weights file with sha256 a7d31ac33f0deecbb3f5181668281cd594ad7baae6362d011c558be3356a4d12
   the certificate of logdepth-recheck with sha256 0000000000000000000000000000000000000000000000000000000000000000
   and the theorem that it computes X and R for every admissible word; letters: 0 = "a", 1 = "b".
   Numbers are those of the file: proofs-check/coq/read_back.py FILE.v WEIGHTS compares them. 
Definition F : file := {| net := {| width := 16; ln := false;
 initial := [{| amask := [(0,Qmake 1 1);(1,Qmake 1 1);(2,Qmake 1 1);(3,Qmake 1 1);(4,Qmake 1 1);(5,Qmake 1 1)];
  heads := [{| causal := true;
   hq := [[(0,Qmake 1 1)]];
   hk := [[(1,Qmake 1 1);(3,Qmake 1 1)]];
   hv := [[(4,Qmake 1 2)];
   [(5,Qmake 1 2)]];
   ho := [[];
   [];
   [];
   [];
   [];
   [];
   [(0,Qmake 1 1)];
   [(1,Qmake 1 1)];
   [];
   [];
   [];
   [];
   [];
   [];
   [];
   []] |}];
  fmask := [(6,Qmake 1 1);(7,Qmake 1 1)];
  units := [([(6,Qmake 1 4)],[(8,Qmake 1 1)]);
   ([(7,Qmake 1 4)],[(9,Qmake 1 1)])] |}];
 repeated := [];
 final := [];
 unroll := Fixed 0 None |};
 emb := [[(0,Qmake 1 1);(3,Qmake 1 1);(4,Qmake 1 1)];
  [(0,Qmake 1 1);(3,Qmake 1 1);(4,Qmake 1 1)];
  [(0,Qmake 1 1);(3,Qmake 1 1);(5,Qmake 1 1)]];
 pi := Fills (Fine 1) [{| ats := [1;2]; back := 0; scale := Qmake 1 1 |}];
 uacc := [(8,Qmake 1 1)]; urej := [(9,Qmake 1 1)] |}.
Definition R : reading := {| reads := States; groups := [[([(8,Qmake 1 1)],[0]);([(9,Qmake 1 1)],[1])]];
 maps := []; points := 0 |}.
*)
Require Import ZArith QArith List.
From Logdepth Require Import Codes Rows Model Statement Atoms Checker ShiftScan ResetsChecker Resets.
Import ListNotations.
Open Scope nat_scope.

Definition F : file := {| net := {| width := 16; ln := false;
 initial := [{| amask := [(0,Qmake 1 1);(1,Qmake 1 1);(2,Qmake 1 1);(3,Qmake 1 1);(4,Qmake 1 1);(5,Qmake 1 1)];
  heads := [{| causal := true;
   hq := [[(0,Qmake 1 1)]];
   hk := [[(1,Qmake 1 1);(3,Qmake 1 1)]];
   hv := [[(4,Qmake 1 2)];
   [(5,Qmake 1 2)]];
   ho := [[];
   [];
   [];
   [];
   [];
   [];
   [(0,Qmake 1 1)];
   [(1,Qmake 1 1)];
   [];
   [];
   [];
   [];
   [];
   [];
   [];
   []] |}];
  fmask := [(6,Qmake 1 1);(7,Qmake 1 1)];
  units := [([(6,Qmake 1 4)],[(8,Qmake 1 1)]);
   ([(7,Qmake 1 4)],[(9,Qmake 1 1)])] |}];
 repeated := [];
 final := [];
 unroll := Fixed 0 None |};
 emb := [[(0,Qmake 1 1);(3,Qmake 1 1);(4,Qmake 1 1)];
  [(0,Qmake 1 1);(3,Qmake 1 1);(4,Qmake 1 1)];
  [(0,Qmake 1 1);(3,Qmake 1 1);(5,Qmake 1 1)]];
 pi := Fills (Fine 1) [{| ats := [1;2]; back := 0; scale := Qmake 1 1 |}];
 uacc := [(9,Qmake 1 1)]; urej := [(8,Qmake 1 1)] |}.

(* the automaton: state, letter to state *)
Definition X : automaton := {| delta := [[0;1];[0;1]]; start := 0; accepting := [false;true] |}.
(* the prefix read-out, and the letters as maps of points *)
Definition R : reading := {| reads := States; groups := [[([(8,Qmake 1 1)],[0]);([(9,Qmake 1 1)],[1])]];
 maps := []; points := 0 |}.

(* not trusted *)
Definition C : resetcert := {| rcoded := Written (Fine 1); nodes := 3;
 edge := [[1;2];[1;2];[1;2]];
 kinds := [0;1;2];
 first_stage := {| shifts := [(0%Z,0%Z)]; consts := [[(0,Qmake 1 1);(3,Qmake 1 1);(4,Qmake 1 1)];
   [(0,Qmake 1 1);(3,Qmake 1 1);(4,Qmake 1 1)];
   [(0,Qmake 1 1);(3,Qmake 1 1);(5,Qmake 1 1)]];
   parts := [(1,(3,Qmake 1 1));(2,(4,Qmake 1 1))] |};
 resetlayers := [{| resetheads := [Last (Qmake 4 1) (Qmake 4 1) [0;1;2]]; before1 := Scale (Qmake 2 1); before2 := Scale (Qmake 4 1);
  following := {| shifts := [(0%Z,0%Z)]; consts := [[(0,Qmake 1 1);(3,Qmake 1 1);(4,Qmake 1 1);(6,Qmake 1 1);(8,Qmake 1 1)];
   [(0,Qmake 1 1);(3,Qmake 1 1);(4,Qmake 1 1);(6,Qmake 1 1);(8,Qmake 1 1)];
   [(0,Qmake 1 1);(3,Qmake 1 1);(5,Qmake 1 1);(7,Qmake 1 1);(9,Qmake 1 1)]];
   parts := [(1,(3,Qmake 1 1));(2,(4,Qmake 1 1))] |} |}];
 to_state := [0;0;1]; to_map := [[];[];[]] |}.

Theorem checked : resetcheck F C X R = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
Theorem right_for_every_length : decides F X /\ tells F X R.
Proof. exact (resets_correct F C X R checked). Qed.
Print Assumptions right_for_every_length.
