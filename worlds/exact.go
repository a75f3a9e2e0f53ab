package worlds

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/omnipitch/omnipitch/worlds/files"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// exact holds numbers in SI units by their keys' paths, which no decimal number in the unit of the key gives: Go may
// set any.
type exact map[string][]float64

// exactSuffix ends the names of a bundle's files of exact numbers.
const exactSuffix = ".exact.json"

// maxExactBytes bounds such a file. A guess: ten thousand numbers.
const maxExactBytes = 1 << 20

// exactOf returns as a file what a world's file does not give to the last bit; nil: nothing. It fails for what no
// number tells.
func exactOf(want, have *World) ([]byte, error) {
	fine := exact{}
	got := linesOf(have)
	for path, l := range linesOf(want) {
		other, there := got[path]
		a, b := numbersOf(l.Value), numbersOf(other.Value)
		switch {
		case there && other.Text == l.Text && slices.Equal(a, b):
		case there && len(a) > 0 && len(a) == len(b):
			fine[path] = a
		default:
			return nil, fmt.Errorf("%s: no file gives this: %s", path, l.Text)
		}
	}
	if len(fine) == 0 {
		return nil, nil
	}
	return json.MarshalIndent(fine, "", "  ")
}

// readExact reads a file of exact numbers, if there is one.
func readExact(in *files.FS, name string) (fine exact, err error) {
	if _, err := in.Stat(name); err != nil {
		return nil, nil
	}
	data, err := in.Read(name, maxExactBytes)
	if err == nil {
		err = json.Unmarshal(data, &fine)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return fine, nil
}

// set puts the numbers into a world.
func (e exact) set(w *World) error {
	if len(e) == 0 {
		return nil
	}
	lines := linesOf(w)
	for _, path := range slices.Sorted(maps.Keys(e)) {
		places := floatsIn(lines[path].Value)
		if len(places) != len(e[path]) || len(places) == 0 || !places[0].CanSet() {
			return &schema.Violation{Rule: fmt.Sprintf("%d exact numbers are given for %.100q, which has %d",
				len(e[path]), path, len(places))}
		}
		for i, place := range places {
			place.SetFloat(e[path][i])
		}
	}
	return nil
}

// floatsIn returns the floating-point numbers that a value holds.
func floatsIn(v reflect.Value) (all []reflect.Value) {
	switch v.Kind() {
	case reflect.Float32, reflect.Float64:
		all = append(all, v)
	case reflect.Pointer:
		if !v.IsNil() {
			all = floatsIn(v.Elem())
		}
	case reflect.Array, reflect.Slice:
		for i := range v.Len() {
			all = append(all, floatsIn(v.Index(i))...)
		}
	}
	return all
}

func numbersOf(v reflect.Value) (all []float64) {
	for _, place := range floatsIn(v) {
		all = append(all, place.Float())
	}
	return all
}
