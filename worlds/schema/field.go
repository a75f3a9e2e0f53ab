package schema

import (
	"reflect"
)

// Defaulter sets the defaults of a new element of an array, map or pointer. Keys of the file then override the
// defaults. The type *T implements it for elements of type T. An embedded struct passes its SetDefaults on to the
// struct around it. That struct should therefore have a SetDefaults of its own.
type Defaulter interface{ SetDefaults() }

// Preparer sets values before the keys of its table override them. The function text returns the text of a key's value.
// It returns "" if the key has no text.
type Preparer interface {
	Prepare(text func(key string) string)
}

// setDefaults sets the defaults of a new value by calling its Defaulter. If the value has none, it calls the Defaulters
// of the value's fields.
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
