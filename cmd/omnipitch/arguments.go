package main

import (
	"encoding"
	"reflect"
	"regexp"
	"strings"

	"github.com/alecthomas/kong"
)

// negative is how a number, or a time, below 0 begins.
var negative = regexp.MustCompile(`^-\.?[0-9]`)

// joinNegatives makes --flag=-1 of --flag -1: kong takes all that begins with - for a flag, and we have none that
// begins with a digit.
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

// textMapper reads a flag's value as the text that its type, or what it points to, unmarshals; name is what the message
// calls a value that is missing.
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
