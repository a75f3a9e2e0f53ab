package gl

import "testing"

// Source of the names: GL_RENDERER as the drivers' users report it.
func TestSoftwareIsToldFromGraphicsCards(t *testing.T) {
	for driver, want := range map[string]bool{
		"llvmpipe (LLVM 15.0.6, 256 bits)": true,
		"softpipe":                         true,
		"Software Rasterizer":              true,
		"Google SwiftShader":               true,
		"ANGLE (Google, Vulkan 1.3.0 (SwiftShader Device))":     true,
		"zink Vulkan 1.3(llvmpipe (LLVM 17.0.6, 256 bits))":     true,
		"virgl (LLVMPIPE (LLVM 15.0.6, 256 bits))":              true,
		"D3D12 (Microsoft Basic Render Driver)":                 true,
		"Apple Software Renderer":                               true,
		"":                                                      true,
		"NVIDIA H200/PCIe/SSE2":                                 false,
		"NVIDIA GeForce GTX 1050/PCIe/SSE2":                     false,
		"Mesa Intel(R) UHD Graphics 620 (KBL GT2)":              false,
		"AMD Radeon RX 6600 (radeonsi, navi23, LLVM 15.0.7, …)": false,
		"D3D12 (NVIDIA GeForce RTX 3060)":                       false,
		"V3D 4.2":                                               false,
	} {
		if got := isSoftware(driver); got != want {
			t.Errorf("%q: software = %v, want %v", driver, got, want)
		}
	}
}
