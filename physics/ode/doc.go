// Package ode runs a physics.Scene on the Open Dynamics Engine (libode, through cgo).
package ode
