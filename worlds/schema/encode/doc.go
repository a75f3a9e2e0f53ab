// Package encode writes Go structs as the TOML from which package schema reads them. It uses the keys, units and ranges
// of the same tags. It writes defaults too, and gives a number the digits that restore the same value.
//
//	for _, line := range encode.Lines(&cfg) {
//		fmt.Println(line.Text) // fov_deg = 90
//	}
//
// It leaves out what a file cannot say: empty texts, nil pointers, and numbers that violate the rules of their keys.
package encode
