package rules

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// One is for structs that choose one of several things: each field that can be nil stands for one choice. It returns
// the only field that is not nil, and the key of this field. One fails if no field is set, with an error that consists
// of the text none and all keys. It also fails if several fields are set, with an error that ends with the text
// several.
func One(choice any, none, several string) (key string, value any, err error) {
	s := reflect.Indirect(reflect.ValueOf(choice))
	var all, chosen []string
	for i := range s.NumField() {
		field := s.Field(i)
		if k := field.Kind(); k != reflect.Pointer && k != reflect.Slice {
			continue
		}
		key = s.Type().Field(i).Tag.Get("toml")
		all = append(all, key)
		if !field.IsNil() {
			value, chosen = field.Interface(), append(chosen, key)
		}
	}
	switch last := len(chosen) - 1; {
	case last < 0:
		return "", nil, errors.New(none + " " + strings.Join(all, ", "))
	case last > 0:
		return "", nil, fmt.Errorf("has %s and %s: %s", strings.Join(chosen[:last], ", "), chosen[last], several)
	}
	return chosen[0], value, nil
}
