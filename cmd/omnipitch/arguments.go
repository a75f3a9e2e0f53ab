package main

import (
	"encoding"
	"reflect"
	"regexp"
	"strings"

	"github.com/alecthomas/kong"
)

// negative matches the start of a negative number or duration.
var negative = regexp.MustCompile(`^-\.?[0-9]`)

// joinNegatives turns "--flag -1" into "--flag=-1". kong takes every argument that starts with - for a flag, but no
// flag of ours starts with a digit.
func joinNegatives(args []string) []string {
	joined := make([]string, 0, len(args))
	for i, arg := range args {
		if arg == "--" {
			return append(joined, args[i:]...)
		}
		if n := len(joined); n > 0 && negative.MatchString(arg) && strings.HasPrefix(joined[n-1], "--") &&
			!strings.Contains(joined[n-1], "=") {
			joined[n-1] += "=" + arg
			continue
		}
		joined = append(joined, arg)
	}
	return joined
}

// textMapper decodes the value of a flag with UnmarshalText of its type, or of the type that it points to. name is the
// name of the value in error messages.
func textMapper(name string) kong.Mapper {
	return kong.MapperFunc(func(ctx *kong.DecodeContext, target reflect.Value) error {
		token, err := ctx.Scan.PopValue(name)
		if err != nil {
			return err
		}
		if target.Kind() == reflect.Pointer {
			target.Set(reflect.New(target.Type().Elem()))
			target = target.Elem()
		}
		return target.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(token.String()))
	})
}
