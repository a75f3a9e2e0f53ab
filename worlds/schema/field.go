package schema

import (
	"reflect"
)

// Defaulter gives a new element of an array, map or pointer its defaults, before keys of the file override them. It
// stands on *T; an embedded struct lends its own to the struct around it, which should then have its own.
type Defaulter interface{ SetDefaults() }

// Preparer sets what the keys of its table then override; text returns the text of a key's value, "" if there is none.
type Preparer interface {
	Prepare(text func(key string) string)
}

// setDefaults fills a new value from its Defaulter, or its fields from theirs.
func setDefaults(v reflect.Value) {
	if d, ok := v.Addr().Interface().(Defaulter); ok {
		d.SetDefaults()
		return
	}
	if v.Kind() != reflect.Struct {
		return
	}
	for i := range v.NumField() {
		if v.Type().Field(i).IsExported() {
			setDefaults(v.Field(i))
		}
	}
}
