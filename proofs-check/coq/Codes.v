(* Codes of positions on the circle, and sums over lists. The code of position p is the point of the unit circle with parameter
   p + 1: rational, and two positions have the largest product if and only if they are the same. *)
Require Import Reals Lra Lia Psatz List Arith. Import ListNotations.
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
