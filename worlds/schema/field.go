package schema

import (
	"reflect"
)

// Defaulter sets the defaults of a new element of an array, map or pointer, before keys of the file override them. *T
// implements it. An embedded struct passes its SetDefaults on to the struct around it, which should then have its own.
type Defaulter interface{ SetDefaults() }

// Preparer sets values that the keys of its table then override. text returns the text of a key's value, or "" if there
// is none.
type Preparer interface {
	Prepare(text func(key string) string)
}

// setDefaults fills a new value by its Defaulter, or its fields by theirs.
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
