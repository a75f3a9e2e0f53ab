// Package kernels holds the per-pixel work of package tile as C, compiled for several instruction sets. It imports no
// other package of this module, so the C is compiled again only when C changes.
//
// Package tile calls all_kernels of kernels.h. Builds with the race detector, which checks Go alone, contain only the
// kernels for any processor: compiling the others takes longer than the tests. Without debug information (-g0), the
// compiler takes 40 % less time.
package kernels

// #cgo CFLAGS: -std=c11 -g0 -Wall -Wextra -Wno-psabi
// #cgo CFLAGS: -Werror=incompatible-pointer-types -Werror=implicit-function-declaration
// #cgo !race CFLAGS: -O3
// #cgo race CFLAGS: -O1 -DBASE_ALONE
// #cgo LDFLAGS: -lm
import "C"
