package keyframe

import (
	"fmt"
	"reflect"
)

// Value passes over plain data, to which p points: numbers, texts and truth values, and structs, arrays, slices and pointers of them. It panics
// for other types, and for structs with fields that are not exported. Lists keep their memory as far
// as it goes; an empty one and nil are the same.
func (c *Codec) Value(p any) { c.value(reflect.ValueOf(p).Elem()) }

func (c *Codec) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		b := v.Bool()
		c.Bool(&b)
		c.set(v, func() { v.SetBool(b) })
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		i := v.Int()
		c.Int64(&i)
		c.Check(!v.OverflowInt(i), "has an integer that is too large: %d", i)
		c.set(v, func() { v.SetInt(i) })
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		u := v.Uint()
		c.Uint(&u)
		c.Check(!v.OverflowUint(u), "has an integer that is too large: %d", u)
		c.set(v, func() { v.SetUint(u) })
	case reflect.Float64:
		c.Float((*float64)(v.Addr().UnsafePointer()))
	case reflect.Float32:
		c.Single((*float32)(v.Addr().UnsafePointer()))
	case reflect.String:
		Text(c, (*string)(v.Addr().UnsafePointer()))
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Field(i)
			if !f.CanInterface() {
				panic(fmt.Sprintf("keyframe: %v has fields that are not exported", v.Type()))
			}
			c.value(f)
		}
	case reflect.Array:
		for i := range v.Len() {
			c.value(v.Index(i))
		}
	case reflect.Slice:
		c.list(v)
	case reflect.Pointer:
		c.pointer(v)
	default:
		panic(fmt.Sprintf("keyframe: %v is no plain data", v.Type()))
	}
}

func (c *Codec) set(v reflect.Value, set func()) {
	if c.restoring && c.err == nil {
		set()
	}
}

// list passes over a slice; empty ones and nil are the same.
func (c *Codec) list(v reflect.Value) {
	n := c.Count(v.Len())
	if c.restoring && c.err == nil {
		v.SetLen(min(n, v.Len()))
	}
	for i := range n {
		if i == v.Len() {
			v.Set(reflect.Append(v, reflect.Zero(v.Type().Elem())))
		}
		if c.value(v.Index(i)); c.err != nil {
			return
		}
	}
}

// pointer passes over what a pointer points to, if it does.
func (c *Codec) pointer(v reflect.Value) {
	known := !v.IsNil()
	if c.Bool(&known); c.err != nil {
		return
	}
	if c.restoring {
		v.SetZero()
	}
	if !known {
		return
	}
	if c.restoring { // what it pointed to may be of others, too
		v.Set(reflect.New(v.Type().Elem()))
	}
	c.value(v.Elem())
}
