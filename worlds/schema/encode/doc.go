// Package encode writes Go structs as the TOML that package schema reads into them: keys, units and ranges are those of
// the same tags, defaults are written like all else, and a number has the digits that give the same value again.
//
//	for _, line := range encode.Lines(&cfg) {
//		fmt.Println(line.Text) // fov_deg = 90
//	}
//
// What a file cannot say is left out: empty texts, nil pointers, and numbers that the rules of their keys refuse.
package encode
