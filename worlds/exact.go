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

// exact holds numbers in SI units, by the paths of their keys. It is for values that no decimal number in the key's
// unit gives exactly. Such values occur because Go code may set any value.
type exact map[string][]float64

// exactSuffix is the suffix of a bundle's files of exact numbers.
const exactSuffix = ".exact.json"

// maxExactBytes is the largest size, in bytes, of a file of exact numbers. The value is a guess: the file then has
// about ten thousand numbers.
const maxExactBytes = 1 << 20

// exactOf returns a file with those numbers of the world want that the world have does not give to the last bit. It
// returns nil if there are no such numbers. It fails if the two worlds differ in anything but numbers.
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

// readExact reads a file of exact numbers. It returns nil if there is no such file.
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

// set assigns the numbers to the fields of a world.
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

// floatsIn returns all floating-point numbers inside a value, including those inside its fields and elements.
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
