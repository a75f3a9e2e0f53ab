package rules

import "reflect"

// Chosen inspects the fields of a struct that can be nil. It returns their keys, the keys of those that are set, and
// the value of the last of these. A struct that names one of several things by its key has just one of them set.
func Chosen(choice any) (value any, all, chosen []string) {
	s := reflect.Indirect(reflect.ValueOf(choice))
	for i := range s.NumField() {
		field := s.Field(i)
		if k := field.Kind(); k != reflect.Pointer && k != reflect.Slice {
			continue
		}
		key := s.Type().Field(i).Tag.Get("toml")
		all = append(all, key)
		if !field.IsNil() {
			value, chosen = field.Interface(), append(chosen, key)
		}
	}
	return value, all, chosen
}
