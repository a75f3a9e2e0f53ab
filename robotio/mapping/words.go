package mapping

import (
	"maps"
	"slices"
	"time"
)

// Dimension says how a quantity scales with the units of length and of angle; seconds are seconds.
type Dimension struct{ Length, Angle int8 }

// Dimensions that quantities have.
var (
	None   = Dimension{}
	Length = Dimension{Length: 1} // and speeds, and accelerations
	Angle  = Dimension{Angle: 1}  // and rates of turn
)

// Units are how many of a profile's units make a metre and a radian.
type Units struct{ PerMetre, PerRadian float64 }

// SI leaves everything as it is.
var SI = Units{PerMetre: 1, PerRadian: 1}

// Scale is how many of the units make one of SI.
func (u Units) Scale(d Dimension) float64 {
	f := 1.0
	for range d.Length {
		f *= u.PerMetre
	}
	for range d.Angle {
		f *= u.PerRadian
	}
	return f
}

// Number is a quantity; truth values are 0 and 1.
type Number[S any] struct {
	Dim Dimension
	Get func(S) float64
}

// Vector is a quantity of several numbers.
type Vector[S any] struct {
	Dim Dimension
	Len func(S) int
	At  func(S, int) float64
}

// List is something of which there are several. Enter makes the scene show one of them to Words.
type List[S any] struct {
	Len   func(S) int
	Enter func(S, int)
	Words Words[S]
}

// Words are the quantities that a mapping may name, seen in a scene S.
type Words[S any] struct {
	Numbers map[string]Number[S]
	Vectors map[string]Vector[S]
	Texts   map[string]func(S) string
	Times   map[string]func(S) time.Duration
	Blobs   map[string]func(S) []byte
	Lists   map[string]List[S]
}

// With returns w with more words, which hide those of the same name.
func (w Words[S]) With(more Words[S]) Words[S] {
	return Words[S]{
		Numbers: merged(w.Numbers, more.Numbers), Vectors: merged(w.Vectors, more.Vectors), Texts: merged(w.Texts, more.Texts),
		Times: merged(w.Times, more.Times), Blobs: merged(w.Blobs, more.Blobs), Lists: merged(w.Lists, more.Lists),
	}
}

func merged[V any](a, b map[string]V) map[string]V {
	m := maps.Clone(a)
	if m == nil {
		m = map[string]V{}
	}
	maps.Copy(m, b)
	return m
}

// names returns the words that fit where one was not known.
func names[V any](words map[string]V) []string { return slices.Sorted(maps.Keys(words)) }
