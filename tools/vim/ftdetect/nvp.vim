" SPDX-License-Identifier: MIT
autocmd BufNewFile,BufRead *.nvp setfiletype nvp | setlocal makeprg=nvfifo\ lint\ % commentstring=#\ %s
