// SPDX-License-Identifier: Apache-2.0

// Package tools pins the build tools in a module of its own, so that their dependencies stay out of the component's.
package tools // import "github.com/genainormalize/genainormalizeprocessor/internal/tools"
