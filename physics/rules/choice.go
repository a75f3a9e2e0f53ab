package rules

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// One returns the only field of a struct that is set, of those that can be nil, and its key: the struct names one of
// several things by its key. One fails unless just one field is set. The error without any ends with all keys after the
// text none. The error with several ends with the text several.
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
