(* Codes of positions on the circle, and sums over lists. The code of position p is the point of the unit circle with parameter
   p + 1: rational, and two positions have the largest product if and only if they are the same. *)
Require Import Reals Lra Lia Psatz ZArith QArith Qreals List Bool Arith ZifyNat.
Import ListNotations.
Open Scope R_scope.

Definition cx t := (1 - t * t) / (1 + t * t).
Definition cy t := 2 * t / (1 + t * t).
Definition kdot t u := cx t * cx u + cy t * cy u.
Lemma pos t : 0 < 1 + t * t.
Proof. nra. Qed.
Lemma kdot_eq t u : kdot t u = 1 - 2 * (t - u) * (t - u) / ((1 + t * t) * (1 + u * u)).
Proof. unfold kdot, cx, cy. field. split; pose proof (pos t); pose proof (pos u); lra. Qed.
Lemma kappa_unit t : kdot t t = 1.
Proof. rewrite kdot_eq. field. pose proof (pos t); lra. Qed.
(* different parameters have a product less than 1 *)
Lemma kappa_match t u : t <> u -> kdot t u < 1.
Proof. intro H. rewrite kdot_eq. assert (0 < (t - u) * (t - u)) by nra.
  assert (0 < 2 * (t - u) * (t - u) / ((1 + t * t) * (1 + u * u))).
  { apply Rdiv_lt_0_compat; [nra|]. apply Rmult_lt_0_compat; apply pos. }
  lra. Qed.
Lemma kappa_le t u : kdot t u <= 1.
Proof. destruct (Req_dec t u) as [->|H]; [rewrite kappa_unit; lra|pose proof (kappa_match t u H); lra]. Qed.

Definition T (p : nat) : R := INR p + 1.
Definition kx p := cx (T p).
Definition ky p := cy (T p).
Lemma T_inj a b : a <> b -> T a <> T b.
Proof. intros H E. apply H. apply INR_eq. unfold T in E. lra. Qed.

Definition sumf (f : nat -> R) (l : list nat) : R := fold_right (fun j a => f j + a) 0 l.
Definition sumn (n : nat) (f : nat -> R) : R := sumf f (seq 0 n).
Lemma sumf_ext f g l : (forall i, In i l -> f i = g i) -> sumf f l = sumf g l.
Proof. induction l; intros H; simpl; [reflexivity|]. rewrite (H a) by (left; auto). rewrite IHl; auto. intros; apply H; right; auto. Qed.

(* Sparse rows of rationals and what they mean on the reals: sums, multiples, substitution, a normal form in which equal forms are
   equal lists, and sums of relus: relu x = x/2 + |x|/2, where the |x| are collected by form up to sign. *)

Definition row := list (nat * Q).      (* index, coefficient *)
Definition mat := list row.            (* row r of a matrix: nth r M nil *)
Definition relu x := Rmax x 0.
Fixpoint dot (r : row) (x : nat -> R) : R :=
  match r with nil => 0 | (c, v) :: r => Q2R v * x c + dot r x end.
Definition coef (r : row) (c : nat) : Q :=
  fold_right (fun e a => if Nat.eqb (fst e) c then Qred (snd e + a) else a) 0%Q r.
Definition scl (k : Q) (r : row) : row := map (fun e => (fst e, Qred (k * snd e))) r.
Definition subst (r : row) (s : mat) : row := flat_map (fun e => scl (snd e) (nth (fst e) s nil)) r.
Definition inb (n : nat) (r : row) := forallb (fun e => Nat.ltb (fst e) n) r.
Definition matin (n : nat) (a : mat) := forallb (inb n) a.
Definition all (n : nat) (g : nat -> bool) := forallb g (seq 0 n).

(* the normal form: indices ascending, each once, no zero *)
Fixpoint insert (k : nat) (v : Q) (r : row) : row :=
  match r with
  | nil => [(k, Qred v)]
  | (k', v') :: t => match Nat.compare k k' with
                     | Lt => (k, Qred v) :: r
                     | Eq => (k, Qred (v + v')) :: t
                     | Gt => (k', v') :: insert k v t
                     end
  end.
Definition nonzero (v : Q) := match Qnum v with Z0 => false | _ => true end.
Definition canon (r : row) : row :=
  filter (fun e => nonzero (snd e)) (fold_right (fun e a => insert (fst e) (snd e) a) nil r).
Lemma row_dec (a b : row) : {a = b} + {a <> b}.
Proof. repeat decide equality. Defined.
Definition eqr (a b : row) := if row_dec (canon a) (canon b) then true else false.

Lemma qr q : Q2R (Qred q) = Q2R q.
Proof. apply Qeq_eqR, Qred_correct. Qed.
Lemma z0 : Q2R 0 = 0.
Proof. unfold Q2R; simpl; lra. Qed.
Lemma le0 c : Qle_bool 0 c = true -> 0 <= Q2R c.
Proof. intro H. apply Qle_bool_iff, Qle_Rle in H. rewrite z0 in H. exact H. Qed.
Lemma gt0 c : Qle_bool 0 c = false -> Q2R c < 0.
Proof. intro H. destruct (Rlt_le_dec (Q2R c) 0) as [L|L]; [exact L|]. rewrite <- z0 in L. apply Rle_Qle, Qle_bool_iff in L. congruence. Qed.
Lemma pos_q c : negb (Qle_bool c 0) = true -> 0 < Q2R c.
Proof. intro H. apply negb_true_iff in H. destruct (Rlt_le_dec 0 (Q2R c)) as [|C]; [assumption|]. rewrite <- z0 in C.
  apply Rle_Qle, Qle_bool_iff in C. congruence. Qed.
Lemma neg_q c : negb (Qle_bool 0 c) = true -> Q2R c < 0.
Proof. intro H. apply negb_true_iff in H. apply gt0, H. Qed.
Lemma lt_q a b : negb (Qle_bool b a) = true -> Q2R a < Q2R b.
Proof. intro H. apply negb_true_iff in H. destruct (Rlt_le_dec (Q2R a) (Q2R b)) as [|C]; [assumption|]. apply Rle_Qle, Qle_bool_iff in C.
  congruence. Qed.
Lemma eq_q a b : Qeq_bool a b = true -> Q2R a = Q2R b.
Proof. intro H. apply Qeq_eqR, Qeq_bool_iff, H. Qed.
Lemma INR_Q n : Q2R (inject_Z (Z.of_nat n)) = INR n.
Proof. unfold Q2R, inject_Z. cbn [Qnum Qden]. rewrite INR_IZR_INZ, RMicromega.Rinv_1. reflexivity. Qed.

Lemma dot_app r s x : dot (r ++ s) x = dot r x + dot s x.
Proof. induction r as [|[c v] r IH]; simpl; [lra|rewrite IH; lra]. Qed.
Lemma dot_scl k r x : dot (scl k r) x = Q2R k * dot r x.
Proof. induction r as [|[c v] r IH]; [cbn; lra|]. unfold scl in *. cbn [map fst snd dot]. rewrite IH, qr, Q2R_mult. lra. Qed.
Lemma dot_ext_all r x y : (forall i, x i = y i) -> dot r x = dot r y.
Proof. intro E. induction r as [|[i v] r IH]; [reflexivity|]. cbn [dot]. rewrite E, IH. reflexivity. Qed.
Lemma dot_ext_in n r x y : inb n r = true -> (forall i, (i < n)%nat -> x i = y i) -> dot r x = dot r y.
Proof. intros H E. induction r as [|[i v] r IH]; [reflexivity|]. cbn [inb forallb fst] in H. apply andb_true_iff in H as [A B].
  apply Nat.ltb_lt in A.
  cbn [dot]. rewrite E by exact A. rewrite IH by exact B. reflexivity. Qed.
Lemma dot_subst n r s x at_ : inb n r = true -> (forall c, (c < n)%nat -> x c = dot (nth c s nil) at_) -> dot r x = dot (subst r s) at_.
Proof. induction r as [|[c v] r IH]; intros H E; [reflexivity|]. simpl in H. apply andb_true_iff in H as [A B]. apply Nat.ltb_lt in A.
  unfold subst. cbn [flat_map dot fst snd]. rewrite dot_app, dot_scl, <- E by assumption. f_equal. apply IH; assumption. Qed.
Lemma dot_subst_all r (s : mat) x at_ : (forall i, x i = dot (nth i s nil) at_) -> dot r x = dot (subst r s) at_.
Proof. intro E. induction r as [|[i v] r IH]; [reflexivity|]. unfold subst. cbn [flat_map dot fst snd]. rewrite dot_app, dot_scl, <- E.
  f_equal. exact IH. Qed.
Lemma coef_cons c v r i : Q2R (coef ((c, v) :: r) i) = (if Nat.eqb c i then Q2R v else 0) + Q2R (coef r i).
Proof. unfold coef. cbn [fold_right fst snd]. destruct (Nat.eqb c i); [rewrite qr, Q2R_plus; lra | lra]. Qed.
Lemma matin_nth n (a : mat) i : matin n a = true -> inb n (nth i a nil) = true.
Proof. intro H. destruct (nth_in_or_default i a nil) as [I|E]; [|rewrite E; reflexivity]. unfold matin in H. rewrite forallb_forall in H.
  auto. Qed.
Lemma all_ok n g i : all n g = true -> (i < n)%nat -> g i = true.
Proof. unfold all. intros H L. rewrite forallb_forall in H. apply H, in_seq. lia. Qed.
Lemma nth_map_seq {A} (g : nat -> A) n i d : (i < n)%nat -> nth i (map g (seq 0 n)) d = g i.
Proof. intro H. rewrite (nth_indep _ d (g 0%nat)) by (rewrite map_length, seq_length; auto). rewrite map_nth, seq_nth by auto.
  reflexivity. Qed.

Lemma dot_insert k v r x : dot (insert k v r) x = Q2R v * x k + dot r x.
Proof. induction r as [|[k' v'] r IH]; cbn [insert dot]; [rewrite qr; reflexivity|]. destruct (Nat.compare_spec k k') as [E|E|E]; cbn [dot].
  - subst. rewrite qr, Q2R_plus. lra.
  - rewrite qr. reflexivity.
  - rewrite IH. lra. Qed.
Lemma nonzero_ok v : nonzero v = false -> Q2R v = 0.
Proof. unfold nonzero, Q2R. destruct v as [[|n|n] d]; cbn [Qnum Qden]; intro H; try discriminate. simpl. lra. Qed.
Lemma dot_nonzero r x : dot (filter (fun e => nonzero (snd e)) r) x = dot r x.
Proof. induction r as [|[k v] r IH]; [reflexivity|]. cbn [filter snd]. destruct (nonzero v) eqn:E; cbn [dot]; rewrite IH; [reflexivity|].
  rewrite (nonzero_ok v E). lra. Qed.
Lemma dot_canon r x : dot (canon r) x = dot r x.
Proof. unfold canon. rewrite dot_nonzero. induction r as [|[k v] r IH]; [reflexivity|]. cbn [fold_right fst snd dot].
  rewrite dot_insert, IH. reflexivity. Qed.
Lemma eqr_ok a b x : eqr a b = true -> dot a x = dot b x.
Proof. unfold eqr. destruct (row_dec (canon a) (canon b)) as [E|]; [|discriminate]. intros _.
  rewrite <- (dot_canon a), <- (dot_canon b), E. reflexivity. Qed.
Definition forms (rows z : mat) : mat := map (fun r => canon (subst r z)) rows.
Lemma forms_nth (rows z : mat) u x : dot (nth u (forms rows z) nil) x = dot (subst (nth u rows nil) z) x.
Proof. revert u. induction rows as [|r rows IH]; intros [|u]; try reflexivity; cbn [forms map nth]; [apply dot_canon | apply IH]. Qed.

(* a sum of multiples of |form|, collected by form up to sign *)
Definition neg (r : row) : row := map (fun e => (fst e, Qred (- snd e))) r.
Fixpoint collect (k : row) (v : Q) (l : list (row * Q)) : list (row * Q) :=
  match l with
  | nil => [(k, v)]
  | (k', v') :: l => if row_dec k k' then (k', Qred (v + v')) :: l
                     else if row_dec (neg k) k' then (k', Qred (v + v')) :: l else (k', v') :: collect k v l
  end.
Fixpoint absum (l : list (row * Q)) (x : nat -> R) : R :=
  match l with nil => 0 | (k, v) :: l => Q2R v * Rabs (dot k x) + absum l x end.
Lemma dot_neg r x : dot (neg r) x = - dot r x.
Proof. induction r as [|[c v] r IH]; [cbn; lra|]. unfold neg in *. cbn [map fst snd dot]. rewrite IH, qr, Q2R_opp. lra. Qed.
Lemma collect_ok k v l x : absum (collect k v l) x = Q2R v * Rabs (dot k x) + absum l x.
Proof. induction l as [|[k' v'] l IH]; cbn [collect absum]; [lra|].
  destruct (row_dec k k') as [->|]; [|destruct (row_dec (neg k) k') as [<-|]]; cbn [absum].
  - rewrite qr, Q2R_plus. lra.
  - rewrite qr, Q2R_plus, dot_neg, Rabs_Ropp. lra.
  - rewrite IH. lra. Qed.
Definition zeros (l : list (row * Q)) := forallb (fun e => Qeq_bool (snd e) 0) l.
Lemma absum_zero l x : zeros l = true -> absum l x = 0.
Proof. induction l as [|[k v] l IH]; simpl; intro H; [reflexivity|]. apply andb_true_iff in H as [A B]. apply eq_q in A.
  rewrite A, z0, IH by assumption. lra. Qed.

(* relu of forms whose atom 0 is the number 1: constants are decided, of the rest x/2 is kept and |x|/2 collected *)
Definition isconst (r : row) := forallb (fun e => (Nat.eqb (fst e) 0 || Qeq_bool (snd e) 0)%bool) r.
Definition q0max (a : Q) := if Qle_bool 0 a then a else 0%Q.
Fixpoint relus (us : list (Q * row)) : row * list (row * Q) :=
  match us with
  | nil => (nil, nil)
  | (v, t) :: us => let (a, b) := relus us in
      if isconst t then ((0%nat, Qred (v * q0max (coef t 0))) :: a, b)
      else (scl (v * (1 # 2)) t ++ a, collect t (Qred (v * (1 # 2))) b)
  end.
Fixpoint relsum (us : list (Q * row)) (x : nat -> R) : R :=
  match us with nil => 0 | (v, t) :: us => Q2R v * relu (dot t x) + relsum us x end.
Lemma relu_half y : relu y = (1 / 2) * y + (1 / 2) * Rabs y.
Proof. unfold relu, Rmax, Rabs. destruct (Rle_dec y 0), (Rcase_abs y); lra. Qed.
Lemma q0max_R a : Q2R (q0max a) = Rmax (Q2R a) 0.
Proof. unfold q0max. destruct (Qle_bool 0 a) eqn:E; [apply le0 in E; rewrite Rmax_left; auto; lra | apply gt0 in E;
  rewrite z0, Rmax_right; lra]. Qed.
Lemma isconst_dot t x : x 0%nat = 1 -> isconst t = true -> dot t x = Q2R (coef t 0).
Proof. intro X. induction t as [|[c v] t IH]; intro H; [simpl; rewrite z0; reflexivity|]. simpl in H. apply andb_true_iff in H as [A B].
  rewrite coef_cons. cbn [dot]. rewrite IH by assumption.
  apply orb_true_iff in A as [A|A]. - apply Nat.eqb_eq in A. cbn [fst] in A. subst. rewrite X. simpl. lra.
  - apply eq_q in A. rewrite A, z0. destruct (Nat.eqb c 0); lra. Qed.
Lemma relus_ok us x : x 0%nat = 1 -> relsum us x = dot (fst (relus us)) x + absum (snd (relus us)) x.
Proof. intro X. induction us as [|[v t] us IH]; cbn [relus relsum]; [simpl; lra|]. destruct (relus us) as [a b]. cbn [fst snd] in IH.
  rewrite IH.
  destruct (isconst t) eqn:C; cbn [fst snd].
  - cbn [dot]. rewrite X, qr, Q2R_mult, q0max_R, (isconst_dot t x X C). unfold relu. lra.
  - rewrite dot_app, dot_scl, collect_ok, qr, Q2R_mult, relu_half. replace (Q2R (1 # 2)) with (1 / 2) by (unfold Q2R; simpl; lra). lra. Qed.
(* the score of a head from the rows of its query and key matrices *)
Fixpoint score (qs ks : list row) (x y : nat -> R) : R :=
  match qs, ks with q :: qs, k :: ks => dot q x * dot k y + score qs ks x y | _, _ => 0 end.
